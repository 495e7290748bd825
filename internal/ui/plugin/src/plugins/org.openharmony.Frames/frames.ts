// Copyright (C) 2026 The Android Open Source Project
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//      http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

import type {Engine} from '../../trace_processor/engine';
import {
  LONG,
  NUM,
  NUM_NULL,
  type Row,
  STR,
  STR_NULL,
} from '../../trace_processor/query_result';
import type {Late} from './late';
import {chain, during, type Piece} from './pieces';

/** The facts of a frame by name: cause, overrun_ms, causes[0].title. */
export type Facts = ReadonlyMap<string, string>;

/** A slice of a track Frames. */
export interface Frame {
  readonly id: number;
  readonly ts: bigint;
  readonly dur: bigint;
  /** Its process, as the UI labels it. */
  readonly process: string;
  readonly upid: number;
  readonly facts: Facts;
  readonly pieces: readonly Piece[];
  /** A thread, and what it did. */
  readonly waitedFor: readonly Piece[];
  readonly sampled?: Sampled;
}

/** How many samples of a frame's thread a profiler took during the frame. */
export interface Sampled {
  readonly utid: number;
  readonly samples: number;
}

/** What late frames lost to one cause. */
export interface Cause {
  readonly title: string;
  readonly advice: string;
  readonly ns: number;
  readonly frames: number;
  /** The slice of the frame that lost most. */
  readonly worst: number;
}

/** The frames of OpenHarmony in a trace. */
export class Frames {
  private constructor(
    private readonly engine: Engine,
    /** Of tracks of layers and of all processes, undefined. */
    private readonly upids: ReadonlyMap<number, number | undefined>,
    private readonly machines: ReadonlyMap<number, string>,
    readonly late: readonly Late[],
  ) {}

  /** Returns undefined for a trace without frames of OpenHarmony. */
  static async load(engine: Engine): Promise<Frames | undefined> {
    const machines = await machinesOf(engine);
    if (machines.size === 0) return undefined;
    await engine.query('INCLUDE PERFETTO MODULE ohos.viz');
    const tracks = await rows(
      engine,
      `SELECT track_id AS id, upid FROM _ohos_viz_track`,
      {id: NUM, upid: NUM_NULL},
    );
    if (tracks.length === 0) return undefined;
    const late = await rows(
      engine,
      `SELECT id, ts, dur, upid, ifnull(process_name, '') AS name, pid,
        machine_id AS machine, cast_string!(vsync_id) AS vsync,
        overrun_ns AS overrun, ifnull(cause, '') AS cause
      FROM _ohos_viz_late ORDER BY ts, id`,
      {
        id: NUM,
        ts: LONG,
        dur: LONG,
        upid: NUM,
        name: STR,
        pid: NUM,
        machine: NUM,
        vsync: STR,
        overrun: NUM,
        cause: STR,
      },
    );
    return new Frames(
      engine,
      new Map(tracks.map(({id, upid}) => [id, upid ?? undefined])),
      machines,
      late.map((f) => ({...f, process: labelOf(f, machines)})),
    );
  }

  /** Returns whether slices of a track may lead to a frame. */
  leads(trackIds: readonly number[] = []): boolean {
    return trackIds.some((id) => this.upids.has(id));
  }

  /** Returns the process of a track of frames. */
  upidOf(trackIds: readonly number[] = []): number | undefined {
    return trackIds
      .map((id) => this.upids.get(id))
      .find((upid) => upid !== undefined);
  }

  /** Returns the frame that a slice belongs to or that its track leads to. */
  async frame(slice: number): Promise<Frame | undefined> {
    const candidates = await rows(
      this.engine,
      `SELECT id, is_part AS isPart FROM _ohos_viz_frames(${slice})`,
      {id: NUM, isPart: NUM},
    );
    for (const {id, isPart} of candidates) {
      const frame = await this.read(id);
      const parts = [...(frame?.pieces ?? []), ...(frame?.waitedFor ?? [])];
      if (isPart === 0 || parts.some((p) => p.id === slice)) return frame;
    }
    return undefined;
  }

  private async read(id: number): Promise<Frame | undefined> {
    const [frame] = await rows(
      this.engine,
      `SELECT f.id, f.ts, f.dur, f.upid, t.pid,
        ifnull(t.process_name, '') AS name, t.machine_id AS machine
      FROM ohos_frame_slice AS f JOIN _ohos_frame_track AS t USING (track_id)
      WHERE f.id = ${id}`,
      {
        id: NUM,
        ts: LONG,
        dur: LONG,
        upid: NUM,
        pid: NUM,
        name: STR,
        machine: NUM,
      },
    );
    if (frame === undefined) return undefined;
    const facts = new Map(
      (
        await rows(
          this.engine,
          `SELECT name, value FROM _ohos_viz_facts(${id})`,
          {name: STR, value: STR},
        )
      ).map(({name, value}) => [name, value]),
    );
    const [sampled] = await rows(
      this.engine,
      `SELECT utid, samples FROM _ohos_viz_samples(${id})`,
      {utid: NUM, samples: NUM},
    );
    const all = (
      await rows(
        this.engine,
        `SELECT id, track_id AS trackId, ts, dur, name, colour,
          leads_by AS leadsBy FROM _ohos_viz_pieces(${id})`,
        {
          id: NUM,
          trackId: NUM,
          ts: LONG,
          dur: LONG,
          name: STR,
          colour: STR_NULL,
          leadsBy: STR,
        },
      )
    ).map(({colour, ...p}) => ({...p, colour: colour ?? p.name}));
    const starts = [facts.get('vsync_ts'), facts.get('expected_ts')]
      .filter((text) => text !== undefined)
      .map((text) => BigInt(text));
    const pieces = chain(
      all.filter((p) => p.leadsBy === 'why'),
      [...starts, frame.ts],
    );
    const waitedFor = during(
      all.filter((p) => p.leadsBy === 'waited for'),
      pieces,
    );
    const process = labelOf(frame, this.machines);
    return {...frame, process, facts, pieces, waitedFor, sampled};
  }

  /** Returns what late frames of some processes lost in an interval. */
  causes(
    upids: readonly number[],
    start: bigint,
    end: bigint,
  ): Promise<Cause[]> {
    // Of the frames, SQLite takes the one with the maximum.
    return rows(
      this.engine,
      `SELECT title, advice, sum(lost_ns) AS ns,
        count(DISTINCT frame_id) AS frames, frame_id AS worst,
        max(lost_ns) AS most
      FROM _ohos_viz_lost
      WHERE upid IN (${upids.join(', ')}) AND ts < ${end} AND ts + dur > ${start}
      GROUP BY title ORDER BY ns DESC, title`,
      {title: STR, advice: STR, ns: NUM, frames: NUM, worst: NUM},
    );
  }
}

// Returns the machines of OpenHarmony with the names that the UI gives them.
// The column name is there from v58 on.
async function machinesOf(engine: Engine): Promise<Map<number, string>> {
  const result = await engine.query(
    `SELECT * FROM machine WHERE sysname = 'OpenHarmony'`,
  );
  const named = result.columns().includes('name');
  const names = new Map<number, string>();
  for (const it = result.iter({id: NUM}); it.valid(); it.next()) {
    const name = named ? it.get('name') : null;
    names.set(it.id, name === null ? `machine ${it.id}` : String(name));
  }
  return names;
}

interface OfProcess {
  readonly name: string;
  readonly pid: number;
  readonly machine: number;
}

// A trace that several were merged to has several machines.
function labelOf(
  {name, pid, machine}: OfProcess,
  machines: ReadonlyMap<number, string>,
): string {
  const label = `${name} ${pid}`.trim();
  return machines.size > 1 ? `${label} (${machines.get(machine)})` : label;
}

async function rows<T extends Row>(
  engine: Engine,
  sql: string,
  spec: T,
): Promise<T[]> {
  const list: T[] = [];
  const columns = Object.keys(spec);
  const it = (await engine.query(sql)).iter(spec);
  for (; it.valid(); it.next()) {
    list.push(Object.fromEntries(columns.map((c) => [c, it.get(c)])) as T);
  }
  return list;
}
