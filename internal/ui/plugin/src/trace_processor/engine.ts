import type {QueryResult} from './query_result';

export interface Engine {
  query(sql: string): Promise<QueryResult>;
}
