import type {Trace} from './trace';

export type PluginStatus = 'experimental' | 'preview';

export interface PerfettoPlugin {
  onTraceLoad?(trace: Trace): Promise<void>;
}
