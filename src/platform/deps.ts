import type { Log } from './log.ts'

/**
 * What operations may depend on. Each takes only the few that it uses: `Pick<Deps, 'now' | 'Intent'>`. Every folder
 * declares what it adds, so a name can be used only in that folder's layer and above. `openDeps` opens them all
 * (context/open-deps.ts).
 */
export interface Deps extends Models {
  log: Log
  /** Returns database time, which is used for everything that is stored or compared (mongo/database-time.ts). */
  now(): Date
  batchers: Batchers
  /** Aborted when the process stops. From then on `/readyz` fails, and each response closes its connection. */
  stopping: AbortController
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noEmptyInterface: every domain adds its own.
export interface Models {}

/** Concurrent requests and deliveries share calls to MongoDB through these. */
// biome-ignore lint/suspicious/noEmptyInterface: every domain adds its own.
export interface Batchers {}
