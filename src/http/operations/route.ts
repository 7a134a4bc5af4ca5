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
  /** Below /api/v1. */
  path: string
  /** What the description for machines says of it. */
  about: About
  scope: Scope
  /** With a live key it is refused (order of checks, 8). */
  sandboxOnly?: true
}

export interface ReadRoute extends Common {
  method: 'get'
  /** Which kind of key may ask; a publishable one only where a customer's browser may. */
  key: 'any' | 'secret'
  /** The kind of item in the response, one or a page of them. Determines the memory to reserve. */
  shows: ItemKind
  /** The response is a page of a list, which runs within the limits and on the connections of the lists (src/lists). */
  isPage?: true
  /** `deadlineAt`: see mongo/batching/batcher.ts. */
  run(deps: Deps, caller: Caller, input: OperationInput, deadlineAt: number): Promise<unknown>
}

/** Answers a file in place of the envelope; what is refused before its first byte is enveloped as ever. */
export interface DownloadRoute extends Common {
  method: 'get'
  key: 'secret'
  download(deps: Deps, caller: Caller, input: OperationInput): Promise<Download>
}

export interface WriteRoute extends Common {
  method: 'post' | 'put' | 'patch' | 'delete'
  /** Status of the success. */
  status: 200 | 201
  /** What the body is that is judged: JSON, or a CSV file that comes as `{ csv }`. Of `none`, whatever comes is ignored. */
  body: BodyKind | 'none'
  /** How the first response of a create is found; null if the claim stores it. */
  recall: Recall | null
  /** The longest time in ms for the third-party step, if the operation returns one. */
  thirdPartyMs?: (config: Config) => number
  run(deps: Deps, caller: Caller, input: OperationInput, effect: Effect): Promise<unknown>
}

export type Route = ReadRoute | DownloadRoute | WriteRoute
