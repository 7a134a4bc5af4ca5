import type { Log } from './log.ts'

/**
 * What operations may depend on; each takes the few it uses: `Pick<Deps, 'now' | 'Intent'>`. Every folder declares its
 * own additions, so a name is usable only in that folder's layer and above. `openDeps` opens them
 * (context/open-deps.ts).
 */
export interface Deps extends Models {
  log: Log
  /** Database time, the clock for everything stored or compared (mongo/database-time.ts). */
  now(): Date
  batchers: Batchers
  /** Aborted when the process stops. From then on `/readyz` fails, and each response closes its connection. */
  stopping: AbortController
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noEmptyInterface: every domain adds its own.
export interface Models {}

/** Let concurrent requests and deliveries share calls to MongoDB. */
// biome-ignore lint/suspicious/noEmptyInterface: every domain adds its own.
export interface Batchers {}
