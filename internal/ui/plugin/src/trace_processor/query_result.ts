// Types of columns, which a query asks for.
export const NUM = 0;
export const NUM_NULL: number | null = 1;
export const STR = 'str';
export const STR_NULL: string | null = 'str_null';
export const LONG = 0n;

export type Row = Record<string, number | bigint | string | null>;

export type RowIterator<T extends Row> = T & {valid(): boolean; next(): void; get(column: string): unknown};

export interface QueryResult {
  columns(): string[];
  iter<T extends Row>(spec: T): RowIterator<T>;
}
