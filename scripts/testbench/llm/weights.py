#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write a small language model that has learned nothing, as GGUF.

usage: weights.py SEED FILE

It is a Llama with random weights, whose tokens are bytes and made-up words. The same
seed makes the same file, with any version of Python and NumPy: Python promises what its
generator returns for a seed, and NumPy only converts. Wants Debian's python3-gguf.
"""
import random
import sys

import gguf
import numpy

LAYERS = 2
EMBEDDING = 64
FEED_FORWARD = 128
HEADS = 1
CONTEXT = 256
WORDS = 61

SPECIAL = [(b"<unk>", gguf.TokenType.UNKNOWN), (b"<s>", gguf.TokenType.CONTROL),
           (b"</s>", gguf.TokenType.CONTROL)]
# ASCII alone: the server keeps a token back whose text is a part of a character.
BYTES = [(b"<0x%02X>" % n, gguf.TokenType.BYTE) for n in range(128)]


def vocabulary():
    # A word begins with the sign that stands for a space in SentencePiece.
    return SPECIAL + BYTES + [(f"\u2581word{n}".encode(), gguf.TokenType.NORMAL)
                              for n in range(WORDS)]


def matrices(words):
    """Names, and shapes as rows and columns; a product takes a row for each of its results."""
    yield "token_embd", (words, EMBEDDING)
    yield "output", (words, EMBEDDING)
    for layer in range(LAYERS):
        for name in "attn_q", "attn_k", "attn_v", "attn_output":
            yield f"blk.{layer}.{name}", (EMBEDDING, EMBEDDING)
        yield f"blk.{layer}.ffn_gate", (FEED_FORWARD, EMBEDDING)
        yield f"blk.{layer}.ffn_up", (FEED_FORWARD, EMBEDDING)
        yield f"blk.{layer}.ffn_down", (EMBEDDING, FEED_FORWARD)


def norms():
    yield "output_norm"
    for layer in range(LAYERS):
        yield f"blk.{layer}.attn_norm"
        yield f"blk.{layer}.ffn_norm"


def write(seed, path):
    numbers = random.Random(seed)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(f"random weights, seed {seed}")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    tokens, kinds = zip(*vocabulary())
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(n) for n in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    for name, (rows, columns) in matrices(len(tokens)):
        # Evenly from -1 to 1; by this factor a product's results are about as large as what
        # it is of.
        drawn = numpy.frombuffer(numbers.randbytes(rows * columns), dtype=numpy.int8)
        values = drawn.reshape(rows, columns) / 128 * (3 / columns) ** 0.5
        writer.add_tensor(f"{name}.weight", values.astype(numpy.float16))
    for name in norms():
        writer.add_tensor(f"{name}.weight", numpy.ones(EMBEDDING, dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isdecimal():
        sys.exit(__doc__.split("\n\n")[1])
    write(int(sys.argv[1]), sys.argv[2])
