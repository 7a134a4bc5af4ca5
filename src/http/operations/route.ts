import type { Scope } from '../../../schemas/scopes.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import type { Effect } from '../../idempotency/effect.ts'
import type { Recall } from '../../idempotency/recall.ts'
import type { BodyKind } from '../body/budget.ts'
import type { Download } from '../responses/download.ts'
import type { ItemKind } from '../responses/largest.ts'
import type { About } from '../routes/openapi-text.ts'

/** The input of a request. The query is validated by the schema of the operation; the body is not validated yet. */
export interface OperationInput<Query = unknown> {
  params: Record<string, string>
  query: Query
  body: unknown
}

interface Common {
  /** The path below /api/v1. */
  path: string
  /** The text of the operation in the OpenAPI document. */
  about: About
  scope: Scope
  /** The operation refuses live keys (step 8 of the order of checks). */
  sandboxOnly?: true
}

export interface ReadRoute extends Common {
  method: 'get'
  /** The kind of key that may call the operation. `any` includes publishable keys, which are visible in browsers. */
  key: 'any' | 'secret'
  /** The kind of item in the response, one or a page of them. Determines the memory to reserve. */
  shows: ItemKind
  /** The response is a page of a list, which is subject to the limits and uses the connections of lists (src/lists). */
  isPage?: true
  /** `deadlineAt`: see mongo/batching/batcher.ts. */
  run(deps: Deps, caller: Caller, input: OperationInput, deadlineAt: number): Promise<unknown>
}

/** An operation that returns a file without the envelope. An error before the first byte has the usual envelope. */
export interface DownloadRoute extends Common {
  method: 'get'
  key: 'secret'
  download(deps: Deps, caller: Caller, input: OperationInput): Promise<Download>
}

export interface WriteRoute extends Common {
  method: 'post' | 'put' | 'patch' | 'delete'
  /** The status of a successful response. */
  status: 200 | 201
  /** The kind of body: JSON, or a CSV file that `run` receives as `{ csv }`. `none`: the body is ignored. */
  body: BodyKind | 'none'
  /** Finds the first response of a create. Null: the claim stores the response. */
  recall: Recall | null
  /** The longest time in ms for the third-party step, if the operation returns one. */
  thirdPartyMs?: (config: Config) => number
  run(deps: Deps, caller: Caller, input: OperationInput, effect: Effect): Promise<unknown>
}

export type Route = ReadRoute | DownloadRoute | WriteRoute
