import type { Log } from './log.ts'

/** An operation takes only the dependencies it uses. context/open-deps.ts adds those from other folders. */
export interface Deps extends Models {
  log: Log
  /** Database time. Use it for every instant that is stored or compared (mongo/database-time.ts). */
  now(): Date
  batchers: Batchers
  /** Once aborted, `/readyz` fails and each response closes its connection. */
  stopping: AbortController
  close(): Promise<void>
}

/** `context/open-deps.ts` adds the models. */
export interface Models {}

/** `context/open-deps.ts` adds the batchers. */
export interface Batchers {}
