// SPDX-License-Identifier: GPL-2.0
/* What gpreempt-hwtest tells: for people, for programs, and as a picture. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

static const char *const states[] = { "not run", "did not end", "ok", "ANOMALY" };

static struct item *new_item(struct report *r, enum item_kind kind, const char *name)
{
	/* what there is no room for overwrites the last one */
	struct item *it = &r->item[r->items < REPORT_ITEMS ? r->items : REPORT_ITEMS - 1];

	memset(it, 0, sizeof(*it));
	it->kind = kind;
	it->step = r->now;
	snprintf(it->name, sizeof(it->name), "%s", name);
	if (r->items < REPORT_ITEMS)
		r->items++;
	return it;
}

void report_figure(struct report *r, const char *name, double value)
{
	new_item(r, ITEM_FIGURE, name)->value[0] = value;
}

void report_text(struct report *r, const char *name, const char *format, ...)
{
	struct item *it = new_item(r, ITEM_TEXT, name);
	va_list args;

	va_start(args, format);
	vsnprintf(it->text, sizeof(it->text), format, args);
	va_end(args);
}

void report_row(struct report *r, const char *name, const double *value, unsigned int n)
{
	memcpy(new_item(r, ITEM_ROW, name)->value, value, n * sizeof(*value));
}

void report_says(struct report *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->step[r->now].says, sizeof(r->step[r->now].says), format, args);
	va_end(args);
}

/* ---- text ---- */

static void text_row(FILE *f, const char *const *columns, const struct item *it)
{
	unsigned int i;

	fprintf(f, "    %-20s", it ? it->name : columns[0]);
	for (i = 1; i <= REPORT_COLUMNS && columns[i]; i++)
		if (!it)
			fprintf(f, "%14s", columns[i]);
		else if (isnan(it->value[i - 1]))
			fprintf(f, "%14s", "-");
		else
			fprintf(f, "%14.6g", it->value[i - 1]);
	fputc('\n', f);
}

static void text_step(FILE *f, const struct report *r, unsigned int step)
{
	const char *const *columns = steps[step].columns;
	const struct item *it;
	bool header = false;

	fprintf(f, "\n%s: %s", steps[step].name, states[r->step[step].state]);
	if (r->step[step].state != STEP_NOT_RUN)
		fprintf(f, ", %.1f s: %s", r->step[step].seconds, r->step[step].says);
	fputc('\n', f);
	for (it = r->item; it < r->item + r->items; it++) {
		if (it->step != step)
			continue;
		if (it->kind == ITEM_TEXT)
			fprintf(f, "    %-32s %s\n", it->name, it->text);
		else if (it->kind == ITEM_FIGURE)
			fprintf(f, it->value[0] == trunc(it->value[0]) ?
				"    %-32s %.0f\n" : "    %-32s %.6g\n", it->name, it->value[0]);
		else if (!header)
			text_row(f, columns, NULL);
		header |= it->kind == ITEM_ROW;
		if (it->kind == ITEM_ROW)
			text_row(f, columns, it);
	}
}

static void write_text(FILE *f, const struct report *r)
{
	unsigned int i;

	fprintf(f, "gpreempt-hwtest: %s\n", r->anomaly[0] ? "ANOMALY" : "all well");
	if (r->anomaly[0])
		fprintf(f, "  %s\n", r->anomaly);
	fprintf(f, "  the node's settings are %s\n",
		r->restored ? "as they were before" : "NOT what they were before");
	for (i = 0; i < steps_count; i++)
		text_step(f, r, i);
	if (r->lines)
		fprintf(f, "\nWhat the kernel said of the GPU meanwhile:\n");
	for (i = 0; i < r->lines; i++)
		fprintf(f, "    %s\n", r->line[i]);
}

/* ---- JSON ---- */

static void json_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc((unsigned char)*s < ' ' ? ' ' : *s, f);
	}
	fputc('"', f);
}

/* Behind another. */
static void json_member(FILE *f, const char *name, double value)
{
	fprintf(f, isfinite(value) ? ", \"%s\": %.10g" : ", \"%s\": null", name, value);
}

static void json_row(FILE *f, const struct item *it)
{
	const char *const *columns = steps[it->step].columns;
	unsigned int i;

	fprintf(f, "{\"%s\": ", columns[0]);
	json_string(f, it->name);
	for (i = 1; i <= REPORT_COLUMNS && columns[i]; i++)
		json_member(f, columns[i], it->value[i - 1]);
	fputc('}', f);
}

static void json_step(FILE *f, const struct report *r, unsigned int step)
{
	const struct item *it;
	bool rows = false;

	fprintf(f, "{\"name\": \"%s\", \"state\": \"%s\", \"seconds\": %.3f, \"says\": ",
		steps[step].name, states[r->step[step].state], r->step[step].seconds);
	json_string(f, r->step[step].says);
	for (it = r->item; it < r->item + r->items; it++) {
		if (it->step != step || it->kind == ITEM_ROW)
			continue;
		if (it->kind == ITEM_FIGURE) {
			json_member(f, it->name, it->value[0]);
			continue;
		}
		fprintf(f, ", \"%s\": ", it->name);
		json_string(f, it->text);
	}
	for (it = r->item; it < r->item + r->items; it++) {
		if (it->step != step || it->kind != ITEM_ROW)
			continue;
		fputs(rows ? ",\n    " : ", \"rows\": [\n    ", f);
		json_row(f, it);
		rows = true;
	}
	fputs(rows ? "]}" : "}", f);
}

static void write_json(FILE *f, const struct report *r)
{
	unsigned int i;

	fprintf(f, "{\"program\": \"gpreempt-hwtest\", \"version\": 1, \"anomaly\": ");
	if (r->anomaly[0])
		json_string(f, r->anomaly);
	else
		fputs("null", f);
	fprintf(f, ", \"restored\": %s,\n \"steps\": [\n", r->restored ? "true" : "false");
	for (i = 0; i < steps_count; i++) {
		fputs(i ? ",\n  " : "  ", f);
		json_step(f, r, i);
	}
	fputs("],\n \"kernel_log\": [", f);
	for (i = 0; i < r->lines; i++) {
		fputs(i ? ",\n  " : "\n  ", f);
		json_string(f, r->line[i]);
	}
	fputs("]}\n", f);
}

/* ---- the picture ---- */

/* The rows of a step's table, as gnuplot takes data. */
static unsigned int plot_data(FILE *f, const struct report *r, const char *step)
{
	unsigned int i, k, n = 0;

	fprintf(f, "$%s << EOD\n", step);
	for (i = 0; i < r->items; i++) {
		if (r->item[i].kind != ITEM_ROW || strcmp(steps[r->item[i].step].name, step))
			continue;
		fprintf(f, "\"%s\"", r->item[i].name);
		for (k = 0; k < REPORT_COLUMNS; k++)
			fprintf(f, " %.10g", r->item[i].value[k]);
		fputc('\n', f);
		n++;
	}
	fputs("EOD\n", f);
	return n;
}

static const char cost_plot[] =
	"set title \"Save and restore, by what is saved\"\n"
	"set xlabel \"MiB\"\nset ylabel \"us\"\n"
	"plot $cost using 5:6 with points pt 7 title \"save\", \\\n"
	"     $cost using 5:7 with points pt 5 title \"restore, until each workgroup goes on\"\n";
static const char table_plot[] =
	"set title \"HIGH from doorbell to completion, beside LOW\"\n"
	"unset xlabel\nset ylabel \"us\"\nset logscale y\n"
	"set style data histogram\nset style fill solid 0.6\nset xtics rotate by -40\n"
	"plot $table using 3:xtic(1) title \"p50\", '' using 4 title \"p99\"\n";

/* 0: there is nothing to show. */
static unsigned int write_plot(FILE *f, const struct report *r)
{
	unsigned int cost, table;

	fputs("set terminal pngcairo size 1400,600 font \"sans,12\" background \"white\"\n"
	      "set output \"picture.png\"\nset key above\nset rmargin 8\nset yrange [0:*]\n", f);
	cost = plot_data(f, r, "cost");
	table = plot_data(f, r, "table");
	fputs("set multiplot layout 1,2\n", f);
	if (cost)
		fputs(cost_plot, f);
	fputs("set yrange [*:*]\n", f);
	if (table)
		fputs(table_plot, f);
	fputs("unset multiplot\n", f);
	return cost + table;
}

static int plot(const struct report *r)
{
	FILE *f = fopen("picture.gp", "we");
	unsigned int n;

	if (!f)
		return -errno;
	n = write_plot(f, r);
	if (fclose(f))
		return -EIO;
	/* of another run */
	unlink("picture.png");
	if (!n)
		return 0;
	if (system("command -v gnuplot >/dev/null 2>&1"))
		printf("no picture: gnuplot is not installed; where it is, run it on picture.gp\n");
	else if (system("gnuplot picture.gp"))
		printf("no picture: gnuplot failed on picture.gp\n");
	return 0;
}

static int write_file(const char *name, const struct report *r,
		      void (*fill)(FILE *f, const struct report *r))
{
	FILE *f = fopen(name, "we");

	if (!f)
		return -errno;
	fill(f, r);
	return fclose(f) ? -EIO : 0;
}

int report_write(const struct report *r, const char *folder)
{
	int ret = chdir(folder) ? -errno : 0;

	ret = ret ?: write_file("report.txt", r, write_text);
	ret = ret ?: write_file("report.json", r, write_json);
	return ret ?: plot(r);
}
