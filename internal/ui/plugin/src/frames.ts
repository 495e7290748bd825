// The facts of frames in a trace, from its slices and their annotations. Source of the
// names: docs/perfetto.md.

import type {Late} from './next';
import {type Engine, LONG, NUM, STR, STR_NULL, type Row} from './perfetto';
import {chain, during, type Piece} from './pieces';
import {moveTimes, quote, rootOf, type Share} from './sums';

// Facts are the annotations of a slice by name, as texts, with causes[0].title and the like.
export type Facts = ReadonlyMap<string, string>;

// Frame is the slice of a frame on a track Frames.
export interface Frame {
  readonly id: number;
  readonly ts: bigint;
  readonly dur: bigint;
  readonly upid: number;
  readonly process: string;
  readonly pid: number;
  readonly facts: Facts;
  readonly pieces: readonly Piece[];
  readonly waitedFor: readonly Piece[]; // of the track Waited for: a thread, and what it did
  readonly sampled?: Sampled;
}

// Sampled is the thread of a frame, and how many samples of it a profiler took during the frame.
export interface Sampled {
  readonly utid: number;
  readonly samples: number;
}

// Frames are the frames of OpenHarmony in a trace.
export class Frames {
  private constructor(
    private readonly engine: Engine,
    private readonly processOf: ReadonlyMap<number, number>, // upids by ids of tracks
    readonly late: readonly Late[],
  ) {}

  // load reads the late frames. Without tracks of frames it reads nothing.
  static async load(engine: Engine): Promise<Frames> {
    const tracks = await rows(
      engine,
      `SELECT t.id, t.upid FROM process_track AS t
      WHERE (t.name = 'Frames' OR t.name GLOB 'Frames (*' OR t.name = 'Why' OR t.name GLOB 'Why (*'
          OR t.name = 'Waited for' OR t.name GLOB 'Waited for (*' OR t.name = 'Interactions' OR t.name IN (${[...named].map(quote).join(', ')}))
        AND t.type IN ('process_track_event', 'process_merged_track_event')
        AND EXISTS (SELECT 1 FROM process_track AS f JOIN slice AS s ON s.track_id = f.id
          WHERE f.upid = t.upid AND (f.name = 'Frames' OR f.name GLOB 'Frames (*') AND extract_arg(s.arg_set_id, 'debug.vsync_id') IS NOT NULL)`,
      {id: NUM, upid: NUM},
    );
    const processOf = new Map(tracks.map(({id, upid}) => [id, upid]));
    if (processOf.size === 0) return new Frames(engine, processOf, []);
    const timelines = await rows(
      engine,
      `SELECT DISTINCT track_id AS id, upid FROM actual_frame_timeline_slice
      WHERE upid IN (${[...new Set(processOf.values())].join(', ')})`,
      {id: NUM, upid: NUM},
    );
    timelines.forEach(({id, upid}) => processOf.set(id, upid));
    const buffers = await rows(
      engine,
      `SELECT t.id FROM track AS t JOIN track AS parent ON parent.id = t.parent_id LEFT JOIN track AS top ON top.id = parent.parent_id
      WHERE parent.name = 'Layers' AND top.id IS NULL OR t.name = 'Queue' AND top.name = 'Layers' AND top.parent_id IS NULL`,
      {id: NUM},
    );
    buffers.forEach(({id}) => processOf.set(id, ofLayers));
    const late = await rows(
      engine,
      `SELECT s.id, s.ts, s.dur, t.upid, ifnull(p.name, '') AS process, ifnull(p.pid, 0) AS pid,
        cast(extract_arg(s.arg_set_id, 'debug.vsync_id') AS TEXT) AS vsync,
        round(extract_arg(s.arg_set_id, 'debug.overrun_ms') * 1e6) AS overrun,
        ifnull(extract_arg(s.arg_set_id, 'debug.cause'), '') AS cause
      FROM slice AS s JOIN process_track AS t ON t.id = s.track_id LEFT JOIN process AS p USING (upid)
      WHERE ${isFrames} AND extract_arg(s.arg_set_id, 'debug.overrun_ms') > 0
        AND extract_arg(s.arg_set_id, 'debug.vsync_id') IS NOT NULL
      ORDER BY s.ts, s.id`,
      {id: NUM, ts: LONG, dur: LONG, upid: NUM, process: STR, pid: NUM, vsync: STR, overrun: NUM, cause: STR},
    );
    return new Frames(engine, processOf, late);
  }

  get exist(): boolean {
    return this.processOf.size > 0;
  }

  // upidOf returns the process of a track of frames, or undefined for other tracks.
  upidOf(trackIds: readonly number[]): number | undefined {
    return trackIds.map((id) => this.processOf.get(id)).find((upid) => upid !== undefined);
  }

  // frame returns the frame of a slice of a track Frames, Why or Waited for, of a track of its
  // whole frames or stages, or of an Actual Timeline, the frame that drew a buffer, and the worst
  // late frame of an interaction. It returns undefined for other slices.
  async frame(slice: number): Promise<Frame | undefined> {
    const [row] = await rows(
      this.engine,
      `SELECT s.id, s.ts, s.dur, s.track_id, ifnull(t.name, '') AS track, ifnull(s.name, '') AS name
      FROM slice AS s LEFT JOIN track AS t ON t.id = s.track_id WHERE s.id = ${slice}`,
      {id: NUM, ts: LONG, dur: LONG, track_id: NUM, track: STR, name: STR},
    );
    const upid = row && this.processOf.get(row.track_id);
    if (row === undefined || upid === undefined) return undefined;
    if (upid === ofLayers) return this.readDrawn(slice);
    if (named.has(row.track)) return this.readNamed(row, upid);
    const [, track, thread] = /^(.*?)( \(.*\))?$/s.exec(row.track) ?? [];
    switch (track) {
      case 'Frames':
        return this.read(slice);
      case 'Why':
      case 'Waited for':
        return this.readAround(row, upid, thread ?? '');
      case 'Interactions':
        return this.readWorst(slice);
      default: { // the Actual Timeline
        const [same] = await rows(
          this.engine,
          `SELECT s.id FROM slice AS s JOIN process_track AS t ON t.id = s.track_id
          WHERE ${isFrames} AND t.upid = ${upid} AND s.ts = ${row.ts} AND s.dur = ${row.dur}`,
          {id: NUM},
        );
        return same && this.read(same.id);
      }
    }
  }

  // readNamed returns the frame whose vsync id is in the name of a slice. Frames of several
  // threads have the id of one vsync: the slice begins at the start of its frame, or when that
  // should have begun, or follows it.
  private async readNamed(slice: {ts: bigint; name: string}, upid: number): Promise<Frame | undefined> {
    const vsync = /^\d+/.exec(slice.name)?.[0];
    if (vsync === undefined) return undefined;
    const [nearest] = await rows(
      this.engine,
      `SELECT s.id FROM slice AS s JOIN process_track AS t ON t.id = s.track_id
      WHERE ${isFrames} AND t.upid = ${upid} AND cast(extract_arg(s.arg_set_id, 'debug.vsync_id') AS TEXT) = ${quote(vsync)}
      ORDER BY min(abs(s.ts - ${slice.ts}), abs(ifnull(extract_arg(s.arg_set_id, 'debug.expected_ts') + ${moved('s')}, s.ts) - ${slice.ts})), s.id
      LIMIT 1`,
      {id: NUM},
    );
    return nearest && this.read(nearest.id);
  }

  // readDrawn returns the frame that drew a buffer of a layer.
  private async readDrawn(buffer: number): Promise<Frame | undefined> {
    const [frame] = await rows(
      this.engine,
      `SELECT s.id FROM slice AS b JOIN slice AS s ON s.ts = extract_arg(b.arg_set_id, 'debug.frame_ts') + ${moved('b')}
      JOIN process_track AS t ON t.id = s.track_id JOIN process AS p USING (upid)
      WHERE b.id = ${buffer} AND ${isFrames} AND p.machine_id IS (SELECT machine_id FROM track WHERE id = b.track_id)
        AND ifnull(extract_arg(s.arg_set_id, 'debug.tid'), p.pid) = extract_arg(b.arg_set_id, 'debug.frame_tid')`,
      {id: NUM},
    );
    return frame && this.read(frame.id);
  }

  // readWorst returns the worst late frame of an interaction, by a slice of it. The frame may be
  // one of render_service.
  private async readWorst(slice: number): Promise<Frame | undefined> {
    const [worst] = await rows(
      this.engine,
      `SELECT s.ts, s.dur, cast(extract_arg(s.arg_set_id, 'debug.interaction.worst_frame') AS TEXT) AS vsync,
        (SELECT group_concat(upid) FROM process WHERE machine_id IS (SELECT machine_id FROM track WHERE id = s.track_id)) AS machine
      FROM slice AS s WHERE (s.id = ${slice} OR s.id IN (SELECT id FROM ancestor_slice(${slice})))
        AND extract_arg(s.arg_set_id, 'debug.interaction.worst_frame') IS NOT NULL`,
      {ts: LONG, dur: LONG, vsync: STR, machine: STR},
    );
    if (worst === undefined) return undefined;
    const machine = new Set(worst.machine.split(',').map(Number));
    const [first] = this.late
      .filter((f) => machine.has(f.upid) && f.vsync === worst.vsync && f.ts < worst.ts + worst.dur && f.ts + f.dur > worst.ts)
      .sort((a, b) => b.overrun - a.overrun);
    return first && this.read(first.id);
  }

  // readAround returns the late frame with a slice of the track Why or Waited for.
  private async readAround(part: {id: number; ts: bigint}, upid: number, thread: string): Promise<Frame | undefined> {
    const around = await rows(
      this.engine,
      `SELECT s.id FROM slice AS s JOIN process_track AS t ON t.id = s.track_id
      WHERE t.upid = ${upid} AND ${isTrackOf('Frames', thread)} AND extract_arg(s.arg_set_id, 'debug.overrun_ms') > 0
        AND min(s.ts, extract_arg(s.arg_set_id, 'debug.expected_ts') + ${moved('s')}) <= ${part.ts} AND ${workEnd} > ${part.ts}
      ORDER BY s.ts DESC`,
      {id: NUM},
    );
    for (const {id} of around) {
      const frame = await this.read(id);
      if (frame && [...frame.pieces, ...frame.waitedFor].some((p) => p.id === part.id)) return frame;
    }
    return undefined;
  }

  private async read(id: number): Promise<Frame | undefined> {
    const [row] = await rows(
      this.engine,
      `SELECT s.id, s.ts, s.dur, t.upid, ifnull(p.name, '') AS process, ifnull(p.pid, 0) AS pid, t.name AS track,
        ${workEnd} AS end
      FROM slice AS s JOIN process_track AS t ON t.id = s.track_id LEFT JOIN process AS p USING (upid) WHERE s.id = ${id}`,
      {id: NUM, ts: LONG, dur: LONG, upid: NUM, process: STR, pid: NUM, track: STR, end: LONG},
    );
    if (row === undefined) return undefined;
    const said = await rows(
      this.engine,
      `SELECT a.key, a.display_value AS value FROM args AS a JOIN slice AS s USING (arg_set_id) WHERE s.id = ${id} ORDER BY a.id`,
      {key: STR, value: STR_NULL},
    );
    const facts = moveTimes(new Map(said.map(({key, value}) => [key.replace(/^debug\./, ''), value ?? ''])), row.ts);
    const {track, end, ...frame} = row;
    const [sampled] = await rows(
      this.engine,
      `SELECT t.utid, count() AS samples FROM perf_sample AS p JOIN thread AS t USING (utid)
      WHERE t.upid = ${frame.upid} AND t.tid = ${Number(facts.get('tid') ?? frame.pid)} AND p.callsite_id IS NOT NULL
        AND p.ts BETWEEN ${frame.ts} AND ${frame.ts + frame.dur} GROUP BY t.utid`,
      {utid: NUM, samples: NUM},
    );
    if (!facts.has('overrun_ms')) return {...frame, facts, pieces: [], waitedFor: [], sampled};
    const thread = track === 'Frames (overlapping)' ? '' : track.slice('Frames'.length);
    const starts = ['vsync_ts', 'expected_ts'].flatMap((name) => {
      const text = facts.get(name);
      return text !== undefined && /^\d+$/.test(text) ? [BigInt(text)] : [];
    });
    const start = starts.reduce((a, b) => (a < b ? a : b), frame.ts);
    const below = (name: string) =>
      rows(
        this.engine,
        `SELECT s.id, s.track_id AS trackId, s.ts, s.dur, s.name FROM slice AS s JOIN process_track AS t ON t.id = s.track_id
        WHERE t.upid = ${frame.upid} AND ${isTrackOf(name, thread)} AND s.ts >= ${start} AND s.ts + s.dur <= ${end}`,
        {id: NUM, trackId: NUM, ts: LONG, dur: LONG, name: STR},
      );
    const pieces = chain(await below('Why'), [...starts, frame.ts]);
    const waitedFor = during(await below('Waited for'), pieces);
    return {...frame, facts, pieces, waitedFor, sampled};
  }

  // shares returns what each cause cost each of some late frames. The time that a frame lost
  // to an earlier one counts for that frame's cause (docs/why.md 5).
  async shares(frames: readonly Late[]): Promise<Share[]> {
    const starts = new Map(this.late.map((f) => [`${f.upid} ${f.ts}`, f]));
    const known = new Map<Late, readonly Share[]>();
    const earlier = (f: Late, s: Share) => (s.earlier === '' ? undefined : starts.get(`${f.upid} ${s.earlier}`));
    for (let unknown = [...frames]; unknown.length > 0; ) {
      const causes = await this.causes(unknown);
      unknown.forEach((f) => known.set(f, causes.get(f.id) ?? []));
      const others = unknown.flatMap((f) => (known.get(f) ?? []).flatMap((s) => earlier(f, s) ?? []));
      unknown = [...new Set(others)].filter((f) => !known.has(f));
    }
    return frames.flatMap((f) => (known.get(f) ?? []).map((s) => rootOf(f, s, earlier, (of) => known.get(of)?.[0])));
  }

  // causes returns the causes of late frames by the ids of their slices, as they are noted.
  private async causes(frames: readonly Late[]): Promise<Map<number, Share[]>> {
    const list = await rows(
      this.engine,
      `SELECT s.id, a.key, ifnull(iif(a.flat_key = 'debug.causes.earlier_ts', cast(a.int_value + ${moved('s')} AS TEXT), a.display_value), '') AS value
      FROM slice AS s JOIN args AS a USING (arg_set_id)
      WHERE s.id IN (${frames.map((f) => f.id).join(', ')})
        AND a.flat_key IN ('debug.causes.title', 'debug.causes.share_ns', 'debug.causes.advice', 'debug.causes.earlier_ts')`,
      {id: NUM, key: STR, value: STR},
    );
    const facts = new Map<number, Map<string, string>[]>();
    for (const {id, key, value} of list) {
      const [, index, name] = /\[(\d+)\]\.(\w+)$/.exec(key) ?? [];
      if (index === undefined || name === undefined) continue;
      if (!facts.has(id)) facts.set(id, []);
      const causes = facts.get(id)!;
      (causes[Number(index)] ??= new Map()).set(name, value);
    }
    return new Map(
      [...facts].map(([frame, causes]) => [
        frame,
        causes.map((c) => ({
          frame, title: c.get('title') ?? '', ns: Number(c.get('share_ns') ?? 0),
          advice: c.get('advice') ?? '', earlier: c.get('earlier_ts') ?? '',
        })),
      ]),
    );
  }
}

// ofLayers is the process of the tracks of layers, which belong to none.
const ofLayers = -1;

// named are the tracks whose slices are named after the vsync id of a frame of their process.
const named: ReadonlySet<string> = new Set(['Whole frame expected', 'Whole frame actual', 'GPU (Frame queued)', 'Draw', 'GPU', 'Commit', 'Present']);

// isFrames is the condition for the tracks t of frames.
const isFrames = `(t.name = 'Frames' OR t.name GLOB 'Frames (*') AND t.type IN ('process_track_event', 'process_merged_track_event')`;

// isTrackOf is the condition for the tracks t of a thread; the main thread's have no name.
function isTrackOf(track: string, thread: string): string {
  const name = `t.name = ${quote(track + thread)}`;
  return track === 'Frames' && thread === '' ? `(${name} OR t.name = 'Frames (overlapping)')` : name;
}

// moved is by how much a slice was moved since its trace was converted: in a merged trace it may
// have been, and the times of its annotations were not.
function moved(slice: string): string {
  return `ifnull(${slice}.ts - extract_arg(${slice}.arg_set_id, 'debug.ts'), 0)`;
}

// workEnd is the end of the work on a late frame s, of a render frame with the GPU's.
const workEnd = `max(s.ts + s.dur, ifnull(extract_arg(s.arg_set_id, 'debug.deadline_ts') + ${moved('s')}
  + cast(round(extract_arg(s.arg_set_id, 'debug.overrun_ms') * 1e6) AS INT), 0))`;

// rows returns the rows of a query.
async function rows<T extends Row>(engine: Engine, sql: string, spec: T): Promise<T[]> {
  const list: T[] = [];
  const iterator = (await engine.query(sql)).iter(spec);
  for (; iterator.valid(); iterator.next()) {
    list.push(Object.fromEntries(Object.keys(spec).map((key) => [key, iterator[key]])) as T);
  }
  return list;
}
