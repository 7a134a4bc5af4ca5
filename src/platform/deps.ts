import type { Log } from './log.ts'

/** Each operation takes the few that it uses. context/open-deps.ts knows every folder, so it declares the others. */
export interface Deps extends Models {
  log: Log
  /** Database time, for everything that is stored or compared (mongo/database-time.ts). */
  now(): Date
  batchers: Batchers
  /** After this, `/readyz` fails, and each response closes its connection. */
  stopping: AbortController
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noEmptyInterface: context/open-deps.ts adds them all.
export interface Models {}

// biome-ignore lint/suspicious/noEmptyInterface: context/open-deps.ts adds them all.
export interface Batchers {}
