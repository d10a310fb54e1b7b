/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OCI_STATE_H
#define OCI_STATE_H

#include "gpreempt.h"

struct json_object;

/**
 * struct oci_state - what the hook wants of it
 * @pid:	of its first process
 * @annotations: an object, or NULL; whoever may start the container may have written them
 */
struct oci_state {
	unsigned int pid;
	struct json_object *annotations;
};

/*
 * From standard input; fails with what is wrong with it. It stays until the program ends, and
 * messages name the container from then on.
 */
void oci_state_read(struct oci_state *state);
/* Is the annotation @key there, and is it @text? */
bool oci_state_has(const struct oci_state *state, const char *key, const char *text);

#endif
