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

/**
 * The input of a request. The query has been validated against the operation's schema, but the body has not been
 * validated yet.
 */
export interface OperationInput<Query = unknown> {
  params: Record<string, string>
  query: Query
  body: unknown
}

/** The sections of the OpenAPI document. */
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
export interface About {
  operationId: string
  tag: keyof typeof tags
  summary: string
  description: string
  /** The schema of each path parameter. */
  params?: Record<string, object>
  query?: AnnotatedSchema
  body?: object
  /** The schema of `data` in the response, or of the file if the operation is a download. */
  response: object
  /** The schema of the file in JSON lines, if a download offers them too. */
  lines?: object
  /** The operation's own error codes. Those under `errorCodes` in the `body` schema are added automatically. */
  errors?: readonly ErrorCode[]
}

interface Common {
  /** The path relative to /api/v1. */
  path: string
  /** The operation's description for the OpenAPI document. */
  about: About
  /** The scope that the key needs. If there are several, the key needs any one of them. */
  scope: Scope | { anyOf: readonly Scope[] }
  /** Whether the operation rejects live keys (step 8 in the order of checks, docs/maintainers/decisions.md). */
  sandboxOnly?: true
}

export interface ReadRoute extends Common {
  method: 'get'
  /** Present if the operation accepts publishable keys too, which are visible in browsers. */
  key?: 'any'
  /**
   * The kind of item that the response contains, either alone or in a page. The kind determines how much memory is
   * reserved for the response.
   */
  shows: ItemKind
  /**
   * Whether the response is a page of a list. If so, the limits on lists apply, and the read uses the connections
   * reserved for lists (src/lists).
   */
  isPage?: true
  /** Whether the operation reads as much as a list, although its response is a single item. */
  needsQuery?: true
  /**
   * Returns the result of `run` as a CSV file. If this function is present, the Accept header decides between JSON and
   * CSV.
   */
  toCsv?(data: never, input: OperationInput<never>): CsvFile
  /**
   * Holds the request while there is nothing to return. Then returns the query with which the operation runs, or the
   * response's data if there is still nothing. While the request is held, it uses no memory budget, list slot or
   * connection to MongoDB. Returns null if the query does not request a hold.
   */
  hold?(
    deps: Deps,
    caller: Caller,
    input: OperationInput<never>,
    holding: WaitLimits,
  ): Promise<{ query: unknown } | { data: unknown } | null>
  /** Runs the operation. The meaning of `deadlineAt` is explained in src/mongo/batchers.ts. */
  run(deps: Deps, caller: Caller, input: OperationInput, deadlineAt: number): Promise<unknown>
}

/**
 * An operation that returns a file without the envelope. An error before the first byte is still sent in the usual
 * envelope.
 */
export interface DownloadRoute extends Common {
  method: 'get'
  download(deps: Deps, caller: Caller, input: OperationInput): Promise<Download>
}

export interface WriteRoute extends Common {
  method: 'post' | 'put' | 'patch' | 'delete'
  /** The status of a successful response, if it is not 200. */
  status?: 201
  /** Whether `dryRun: true` in the body requests a dry run, which creates nothing. Its response has status 200. */
  hasDryRun?: true
  /** Present if the body is a CSV file, which `run` receives as a `FileBody`. Any other body is JSON. */
  body?: 'csv'
  /**
   * Finds what an earlier request with the same key has done, in the document that it changed. Missing if the operation
   * stores its response in the transaction of its changes.
   */
  findEffect?(deps: Deps, caller: Caller, params: Record<string, string>, request: WriteRequest): Promise<Result | null>
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

/**
 * Whether scripts on any site may call a route. This is true of routes that accept publishable keys, because those keys
 * are public.
 */
export const isForBrowsers = (route: Route): boolean => 'key' in route && route.key === 'any'

/** Returns the kind of body that an operation reads, or null if it ignores the body. */
export const bodyKindOf = ({ body, about }: Pick<WriteRoute, 'body' | 'about'>): BodyKind | null =>
  about.body === undefined ? null : (body ?? 'json')

/** Returns the scopes that permit an operation. A key needs any one of them. */
export const scopesOf = ({ scope }: Pick<Route, 'scope'>): readonly Scope[] =>
  typeof scope === 'string' ? [scope] : scope.anyOf

/** A route whose description has no section yet. */
type Untagged<Each> = Each extends Route ? Omit<Each, 'about'> & { about: Omit<About, 'tag'> } : never

/** Adds the section of the OpenAPI document to the descriptions of its operations. */
export const inSection = (tag: About['tag'], routes: readonly Untagged<Route>[]): readonly Route[] =>
  routes.map((route) => ({ ...route, about: { ...route.about, tag } }))
