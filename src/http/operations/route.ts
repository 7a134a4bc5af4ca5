import type { Scope } from '../../../schemas/scopes.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { WaitLimits } from '../../events/feed/read.ts'
import type { Result, WriteRequest } from '../../idempotency/request.ts'
import type { AnnotatedSchema } from '../../input/field-faults.ts'
import type { BodyKind } from '../../limits/memory.ts'
import type { Deps } from '../../platform/deps.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { CsvFile, Download } from '../responses/download.ts'
import type { ItemKind } from '../responses/largest.ts'

/** The query has been validated, the body hasn't. */
export interface OperationInput<Query = unknown> {
  params: Record<string, string>
  query: Query
  body: unknown
}

export const tags = {
  'Payment intents': 'One intent stands for one payment: create, retrieve, cancel and refund it.',
  Balance: 'What the service owes you: payments, minus refunds, fees and payouts, with a statement per day.',
  Exports: 'Files with the payments, refunds or ledger entries of a period.',
  Events:
    'Everything that happened to your payments and orders. Read it here if you have no webhook endpoint or missed webhooks.',
  'Webhook endpoints': 'The URLs of your servers that receive events.',
  'Webhook deliveries': 'One delivery is one event for one endpoint, with all attempts to send it.',
  Products: 'The products that your shop sells, their variants and their stock.',
  Orders: 'The orders of your shop.',
}

/**
 * What the OpenAPI document says about an operation beyond its route. Requests are validated against `query` and
 * `body`: without `query`, no query parameter is accepted, and without `body`, the body is ignored.
 */
export interface OperationDescription {
  operationId: string
  tag: keyof typeof tags
  summary: string
  description: string
  params?: Record<string, object>
  query?: AnnotatedSchema
  body?: object
  /** Schema of `data` in the response, or of the file if the operation is a download. */
  response: object
  /** Schema of the file in JSON lines, if a download offers them too. */
  lines?: object
  /** The operation's own error codes. Those under `errorCodes` in the `body` schema are added automatically. */
  errors?: readonly ErrorCode[]
}

interface Common {
  /** Relative to /api/v1. */
  path: string
  about: OperationDescription
  /** If there are several, any one of them is enough. */
  scope: Scope | { anyOf: readonly Scope[] }
  /** Whether live keys are rejected (step 8 in the order of checks, docs/maintainers/decisions.md). */
  sandboxOnly?: true
}

export interface ReadRoute extends Common {
  method: 'get'
  /** Present if publishable keys are accepted too, which are visible in browsers. */
  key?: 'any'
  /** What the response contains, alone or in a page. Decides how much memory is reserved for it. */
  shows: ItemKind
  /** Pages fall under the limits on lists and use the connections reserved for lists (src/lists). */
  isPage?: true
  /** For a single item that takes as much reading as a list. */
  needsQuery?: true
  /** If present, the Accept header decides between JSON and CSV. */
  toCsv?(data: never, input: OperationInput<never>): CsvFile
  /**
   * Waits while there is nothing to return. Resolves to the query to run with, to the response's data if there's still
   * nothing, or to null if the query requests no wait. A waiting request uses no memory budget, list slot or connection
   * to MongoDB.
   */
  longPoll?(
    deps: Deps,
    caller: Caller,
    input: OperationInput<never>,
    limits: WaitLimits,
  ): Promise<{ query: unknown } | { data: unknown } | null>
  /** `deadlineAt` is explained in src/mongo/batchers.ts. */
  run(deps: Deps, caller: Caller, input: OperationInput, deadlineAt: number): Promise<unknown>
}

/** Returns a file without the envelope. Errors before the first byte still come in the envelope. */
export interface DownloadRoute extends Common {
  method: 'get'
  download(deps: Deps, caller: Caller, input: OperationInput): Promise<Download>
}

export interface WriteRoute extends Common {
  method: 'post' | 'put' | 'patch' | 'delete'
  /** Of a successful response, if it isn't 200. */
  status?: 201
  /** Whether `dryRun: true` in the body requests a dry run, which creates nothing. Its response has status 200. */
  hasDryRun?: true
  /** Present if the body is a CSV file, which `run` receives as a `FileBody`. */
  body?: 'csv'
  /**
   * Finds what an earlier request with the same key has done, in the document that it changed. Missing if the operation
   * stores its response in the transaction of its changes.
   */
  findEffect?(
    deps: Deps,
    caller: Caller,
    params: Record<string, string>,
    request: WriteRequest,
  ): Promise<Result | null>
  /**
   * Whether `run` itself looks for what an earlier request has done (`request.earlier`), because it reads its document
   * at the same time, or must still complete something after an earlier request that died.
   */
  looksItself?: true
  /** Whether the first response is computed from fields that never change, instead of being stored. */
  storesNoRow?: true
  run(deps: Deps, caller: Caller, input: OperationInput, request: WriteRequest): Promise<Result>
}

export type Route = ReadRoute | DownloadRoute | WriteRoute

/** Publishable keys are public, so scripts on any site may use them. */
export const isForBrowsers = (route: Route): boolean => 'key' in route && route.key === 'any'

/** Null if the body is ignored. */
export const bodyKindOf = ({ body, about }: Pick<WriteRoute, 'body' | 'about'>): BodyKind | null =>
  about.body === undefined ? null : (body ?? 'json')

/** A key needs any one of these. */
export const scopesOf = ({ scope }: Pick<Route, 'scope'>): readonly Scope[] =>
  typeof scope === 'string' ? [scope] : scope.anyOf

/** A route whose description has no section yet. */
type Untagged<Each> = Each extends Route
  ? Omit<Each, 'about'> & { about: Omit<OperationDescription, 'tag'> }
  : never

export const inSection = (
  tag: OperationDescription['tag'],
  routes: readonly Untagged<Route>[],
): readonly Route[] => routes.map((route) => ({ ...route, about: { ...route.about, tag } }))
