// How the program says what it spends its time on. Off unless it is configured (core/tracing), and then free: everything here does nothing.

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A piece of work with a beginning and an end. Its name and attributes hold no name, path, address or text of a user. */
export interface Span {
  set(attributes: Attributes): void;
  /** A part of it that is over already; times of `monotonicMs`. */
  part(name: string, startMs: number, endMs: number): void;
  /** `failure`: the kind of error that ended it. */
  end(failure?: string): void;
}

export interface Tracing {
  readonly isOn: boolean;
  /** A part of what is under way in this asynchronous context. NO_SPAN outside of a trace, and in one with many spans. */
  begin(name: string, attributes?: Attributes): Span;
  /** The same for one of the few steps that make up the whole: always recorded, and what happens in `act` is a part of it. */
  phase<T>(name: string, act: () => Promise<T>): Promise<T>;
  /** A trace of its own, of work that no request waits for. */
  task<T>(name: string, act: () => Promise<T>): Promise<T>;
}

export const NO_SPAN: Span = { set: () => undefined, part: () => undefined, end: () => undefined };

export const NO_TRACING: Tracing = {
  isOn: false,
  begin: () => NO_SPAN,
  phase: (_name, act) => act(),
  task: (_name, act) => act(),
};
