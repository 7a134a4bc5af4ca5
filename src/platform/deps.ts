import type { Log } from './log.ts'

/**
 * What operations may depend on, by name. An operation takes the few that it uses: `Pick<Deps, 'now' | 'Intent'>`. Each
 * folder declares what it adds beside the type, so a name can only be used in that folder's layer and above.
 * `openDeps` opens them all (context/open-deps.ts).
 */
export interface Deps extends Models {
  log: Log
  /** Returns database time. All times that are stored or compared come from this clock (mongo/database-time.ts). */
  now(): Date
  batchers: Batchers
  /** Aborted when the process stops. `/readyz` fails from then on, and each response closes its connection. */
  stopping: AbortController
  close(): Promise<void>
}

/** The models of all collections. */
// biome-ignore lint/suspicious/noEmptyInterface: every domain adds its own.
export interface Models {}

/** Through these, concurrent requests and deliveries share calls to MongoDB. */
// biome-ignore lint/suspicious/noEmptyInterface: every domain adds its own.
export interface Batchers {}
