// SPDX-License-Identifier: GPL-2.0
/* The plugin's arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static const char *const names[NAMES] = { "low", "normal", "high" };

/* Only digits: strtoul() takes signs and blanks. */
static int number(const char *text)
{
	int level = 0;

	if (!*text || strlen(text) > 2 || strspn(text, "0123456789") != strlen(text))
		return LEVEL_NONE;
	for (; *text; text++)
		level = 10 * level + *text - '0';
	return level > LEVEL_MAX ? LEVEL_NONE : level;
}

int rules_level(const struct rules *r, const char *text, int *level, char *why, size_t size)
{
	size_t i;

	*level = number(text);
	for (i = 0; i < NAMES; i++)
		if (!strcmp(text, names[i]))
			*level = r->named[i];
	if (*level != LEVEL_NONE)
		return 0;
	snprintf(why, size, "'%s' is neither low, normal or high nor a number from 0 to %d", text,
		 LEVEL_MAX);
	return -1;
}

const char *rules_name(const struct rules *r, int level, char *text, size_t size)
{
	size_t i;

	snprintf(text, size, "%d", level);
	for (i = 0; i < NAMES; i++)
		if (r->named[i] == level)
			snprintf(text, size, "%s (%d)", names[i], level);
	return text;
}

/* What follows KEY= in @word, or NULL. */
static const char *value_of(const char *word, const char *key)
{
	size_t length = strlen(key);

	return strncmp(word, key, length) || word[length] != '=' ? NULL : word + length + 1;
}

/* What is given once sets it; twice it is not known which one is meant. */
static int set_once(int *what, int value, const char *word, char *why, size_t size)
{
	if (*what != LEVEL_NONE) {
		snprintf(why, size, "'%s': this was given before", word);
		return -1;
	}
	*what = value;
	return 0;
}

/* default=LEVEL or max=LEVEL; 1 if it is neither. */
static int parse_limit(const struct rules *r, struct rule *rule, const char *word, char *why,
		       size_t size)
{
	const char *standard = value_of(word, "default"), *max = value_of(word, "max");
	char what[128];
	int level;

	if (!standard && !max)
		return 1;
	if (rules_level(r, standard ?: max, &level, what, sizeof(what))) {
		snprintf(why, size, "'%s': %s", word, what);
		return -1;
	}
	return set_once(standard ? &rule->standard : &rule->max, level, word, why, size);
}

/* partition=NAME:default=LEVEL,max=LEVEL */
static int parse_partition(struct rules *r, char *word, char *why, size_t size)
{
	char *text = word + strlen("partition="), *limits = strchr(text, ':'), *save, *limit;
	struct rule *rule, *more;
	size_t i;

	if (!limits || limits == text || !limits[1] || memchr(text, ',', limits - text)) {
		snprintf(why, size, "'%s' is not partition=NAME:default=LEVEL,max=LEVEL", word);
		return -1;
	}
	*limits++ = '\0';
	for (i = 0; i < r->count; i++)
		if (!strcmp(r->partition[i].name, text)) {
			snprintf(why, size, "partition %s: this was given before", text);
			return -1;
		}
	more = realloc(r->partition, (r->count + 1) * sizeof(*more));
	if (!more) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	r->partition = more;
	rule = &more[r->count++];
	*rule = (struct rule) { text, LEVEL_NONE, LEVEL_NONE };
	for (limit = strtok_r(limits, ",", &save); limit; limit = strtok_r(NULL, ",", &save)) {
		char what[192];
		int ret = parse_limit(r, rule, limit, what, sizeof(what));

		if (ret > 0)
			snprintf(what, sizeof(what), "'%s' is neither default=LEVEL nor max=LEVEL",
				 limit);
		if (ret) {
			snprintf(why, size, "partition %s: %s", text, what);
			return -1;
		}
	}
	return 0;
}

/* low=N, normal=N, high=N: the others may name them, wherever they stand. */
static int parse_names(struct rules *r, int argc, char **argv, char *why, size_t size)
{
	static const int usual[NAMES] = { 0, 7, 11 };
	const char *text;
	int i, n;

	for (n = 0; n < NAMES; n++)
		r->named[n] = LEVEL_NONE;
	for (i = 0; i < argc; i++)
		for (n = 0; n < NAMES; n++) {
			text = value_of(argv[i], names[n]);
			if (!text)
				continue;
			if (number(text) == LEVEL_NONE) {
				snprintf(why, size, "'%s': '%s' is not a number from 0 to %d",
					 argv[i], text, LEVEL_MAX);
				return -1;
			}
			if (set_once(&r->named[n], number(text), argv[i], why, size))
				return -1;
		}
	for (n = 0; n < NAMES; n++)
		if (r->named[n] == LEVEL_NONE)
			r->named[n] = usual[n];
	for (n = 1; n < NAMES; n++)
		if (r->named[n] <= r->named[n - 1]) {
			snprintf(why, size, "%s is %d and %s is %d, which is not below it",
				 names[n], r->named[n], names[n - 1], r->named[n - 1]);
			return -1;
		}
	return 0;
}

/* A default that is given has to be allowed; one that is inherited is what is allowed of it. */
static int check_default(const char *where, const struct rule *rule, char *why, size_t size)
{
	if (rule->standard <= rule->max)
		return 0;
	snprintf(why, size, "%s: the default %d is above the maximum %d", where, rule->standard,
		 rule->max);
	return -1;
}

static int complete(struct rules *r, char *why, size_t size)
{
	struct rule *rule;
	char where[128];

	/* as priority_cap is, unless the administrator has changed that */
	if (r->general.max == LEVEL_NONE)
		r->general.max = r->named[1];
	if (check_default("all partitions", &r->general, why, size))
		return -1;
	for (rule = r->partition; rule < r->partition + r->count; rule++) {
		if (rule->max == LEVEL_NONE)
			rule->max = r->general.max;
		if (rule->standard == LEVEL_NONE)
			rule->standard = r->general.standard < rule->max ? r->general.standard :
									   rule->max;
		snprintf(where, sizeof(where), "partition %s", rule->name);
		if (check_default(where, rule, why, size))
			return -1;
	}
	return 0;
}

static bool names_a_level(const char *word)
{
	size_t i;

	for (i = 0; i < NAMES; i++)
		if (value_of(word, names[i]))
			return true;
	return false;
}

int rules_parse(struct rules *r, int argc, char **argv, char *why, size_t size)
{
	int i, ret;

	*r = (struct rules) { .general = { "", LEVEL_NONE, LEVEL_NONE } };
	if (parse_names(r, argc, argv, why, size))
		return -1;
	for (i = 0; i < argc; i++) {
		if (names_a_level(argv[i]))
			continue;
		if (!strcmp(argv[i], "driver=required")) {
			r->required = true;
			continue;
		}
		if (value_of(argv[i], "partition"))
			ret = parse_partition(r, argv[i], why, size);
		else
			ret = parse_limit(r, &r->general, argv[i], why, size);
		if (ret > 0)
			snprintf(why, size, "'%s' is none of default=LEVEL, max=LEVEL, "
				 "partition=NAME:default=LEVEL,max=LEVEL, low=N, normal=N, high=N "
				 "and driver=required", argv[i]);
		if (ret)
			return -1;
	}
	return complete(r, why, size);
}

static struct rule rule_of(const struct rules *r, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (strlen(r->partition[i].name) == length &&
		    !strncmp(r->partition[i].name, name, length))
			return r->partition[i];
	return r->general;
}

struct rule rules_of(const struct rules *r, const char *partitions)
{
	size_t length = strcspn(partitions, ",");
	struct rule least = rule_of(r, partitions, length), one;

	while (partitions[length]) {
		partitions += length + 1;
		length = strcspn(partitions, ",");
		one = rule_of(r, partitions, length);
		if (one.max < least.max)
			least = one;
	}
	return least;
}

struct rule rules_least(const struct rules *r)
{
	struct rule least = r->general;
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->partition[i].max < least.max)
			least = r->partition[i];
	return least;
}
