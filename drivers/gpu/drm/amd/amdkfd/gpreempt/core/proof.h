/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT proof: memory is a hint, hardware the proof.
 */
#ifndef GPREEMPT_PROOF_H_INCLUDED
#define GPREEMPT_PROOF_H_INCLUDED

#include "select.h"

bool gpreempt_wants_proof(const struct gpreempt_view *view, const struct gpreempt_tunables *tun,
			  bool counts);
bool gpreempt_lacks_slot(const struct gpreempt_view *view, const struct gpreempt_tunables *tun);
void gpreempt_track_proof(const struct gpreempt_view *view, struct gpreempt_queue_view *q);

#endif /* GPREEMPT_PROOF_H_INCLUDED */
