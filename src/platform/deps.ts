import type { Log } from './log.ts'

/** An operation takes only the dependencies that it uses. */
export interface Deps extends Models {
  log: Log
  /** The time of the database. Use it for times that are stored or compared. */
  now(): Date
  batchers: Batchers
  /** After an abort, `/readyz` fails and responses close their connection. */
  stopping: AbortController
  close(): Promise<void>
}

/** `context/open-deps.ts` adds the models. */
export interface Models {}

export interface Batchers {}
