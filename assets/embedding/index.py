"""Indexes for wide vector search: one for each model in each large partition, built by the owner.

Never on a small or empty table: the lists of an index are found in the rows that are there.
"""

from __future__ import annotations

from uuid import UUID

import psycopg
from psycopg import sql

SMALLEST = 50_000  # rows of one model in a partition that are worth an index
PER_LIST = 450  # rows
GROWN = 2.0  # times the rows it was made for: made again
MOST_DIMENSIONS = 4_000  # of a half-precision vector in an index
PARTITIONS = """
select c.oid::regclass::text, substring(c.relname from '[0-9]+$')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
 where i.inhparent = 'assets_embedding'::regclass and pg_relation_size(c.oid) > 0 order by c.oid
"""
MODELS = """
select e.model, m.dimension, count(*) from {} e join assets_embeddingmodel m on m.id = e.model
 where m.dimension <= %s group by e.model, m.dimension having count(*) >= %s
"""
KNOWN = """
select i.indisvalid, coalesce(substring(c.reloptions::text from 'lists=([0-9]+)')::int, 0)
  from pg_class c join pg_index i on i.indexrelid = c.oid where c.relname = %s
"""


def name(model: UUID, partition: str) -> str:
    """The name of a model's index in the partition of that number."""
    return f"embedding_near_{model.hex}_{partition}"


def build(owner_url: str, *, smallest: int = SMALLEST) -> list[str]:
    """Make what is missing, unfinished or outgrown, while reading and writing go on; gives the
    names of new indexes. Another process that does the same makes this one do nothing.
    """
    made = []
    with psycopg.connect(owner_url, autocommit=True) as owner:
        row = owner.execute("select pg_try_advisory_lock(hashtextextended('embedding index', 0))").fetchone()
        if row is None or not row[0]:
            return []
        for table, number in owner.execute(PARTITIONS).fetchall():
            counted = owner.execute(
                sql.SQL(MODELS).format(sql.Identifier(table)), [MOST_DIMENSIONS, smallest]
            ).fetchall()
            for model, dimension, rows in counted:
                wanted, lists = name(model, number), max(1, rows // PER_LIST)
                if _stands(owner, wanted, lists):
                    continue
                _make(owner, wanted, table, model, dimension, lists)
                made.append(wanted)
    return made


def _stands(owner: psycopg.Connection, wanted: str, lists: int) -> bool:
    row = owner.execute(KNOWN, [wanted]).fetchone()
    return row is not None and row[0] and lists < GROWN * row[1]


def _make(
    owner: psycopg.Connection, wanted: str, table: str, model: UUID, dimension: int, lists: int
) -> None:
    fresh = sql.Identifier(f"{wanted}_new")  # left behind, and not valid, by a build that was ended
    owner.execute(sql.SQL("drop index if exists {}").format(fresh))
    owner.execute(
        sql.SQL(
            "create index concurrently {} on {} using ivfflat ((vector::halfvec({})) halfvec_ip_ops)"
            " with (lists = {}) where model = {}"
        ).format(fresh, sql.Identifier(table), sql.Literal(dimension), sql.Literal(lists), sql.Literal(str(model)))
    )  # fmt: skip
    with owner.transaction():
        owner.execute(sql.SQL("drop index if exists {}").format(sql.Identifier(wanted)))
        owner.execute(sql.SQL("alter index {} rename to {}").format(fresh, sql.Identifier(wanted)))
        # The planner's samples would keep pieces of content after it is deleted.
        change = sql.SQL("alter index {} alter column 1 set statistics 0")
        owner.execute(change.format(sql.Identifier(wanted)))
