import type { JSONSchema } from 'json-schema-to-ts'
import type { emptyQuery } from '../../../schemas/queries.ts'
import type { Scope } from '../../../schemas/scopes.ts'
import type { ValueOf } from '../../../schemas/value-of.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { WaitLimits } from '../../events/feed/read.ts'
import type { Result, WriteRequest } from '../../idempotency/request.ts'
import type { AnnotatedSchema } from '../../input/field-faults.ts'
import type { Deps } from '../../platform/deps.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { CsvFile, Download } from '../responses/download.ts'
import type { ItemKind } from '../responses/largest.ts'

/** The query has been validated, the body hasn't. */
export interface OperationInput<Param extends string = string, Query = unknown> {
  params: Record<Param, string>
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

/** Without `query`, no query parameter is accepted, and without `body`, the body is ignored. */
interface Common {
  tag: keyof typeof tags
  /** Relative to /api/v1. */
  path: string
  operationId: string
  summary: string
  description: string
  params?: Record<string, object>
  query?: AnnotatedSchema
  body?: object
  /** Schema of `data` in the response, or of the file if the operation is a download. */
  response: object
  /** Beyond the codes under `errorCodes` in the `body` schema. */
  errors?: readonly ErrorCode[]
  /** If there are several, any one of them is enough. */
  scope: Scope | { anyOf: readonly Scope[] }
  /** Live keys are rejected (step 8 in the order of checks, docs/maintainers/decisions.md). */
  sandboxOnly?: true
}

export interface ReadRoute<Param extends string = string, Query = unknown, Data = unknown> extends Common {
  method: 'get'
  /** Accepts publishable keys too, which are visible in browsers. */
  key?: 'any'
  /** Decides how much memory is reserved for the response. */
  shows: ItemKind
  /** Pages fall under the limits on lists and use the connections reserved for lists (src/lists). */
  isPage?: true
  /** For a single item that takes as much reading as a list. */
  needsQuery?: true
  /**
   * Waits while there is nothing to return. Resolves to the query to run with, to the response's data if there's still
   * nothing, or to null if the query requests no wait. A waiting request uses no memory budget, list slot or connection
   * to MongoDB.
   */
  longPoll?(
    deps: Deps,
    caller: Caller,
    input: OperationInput<Param, Query>,
    limits: WaitLimits,
  ): Promise<{ query: Query } | { data: unknown } | null>
  /** `deadlineAt` is explained in src/mongo/batchers.ts. */
  run(deps: Deps, caller: Caller, input: OperationInput<Param, Query>, deadlineAt: number): Promise<Data>
  /** If present, the Accept header decides between JSON and CSV. */
  toCsv?(data: Data, input: OperationInput<Param, Query>): CsvFile
}

/** Returns a file without the envelope. Errors before the first byte still come in the envelope. */
export interface DownloadRoute<Param extends string = string, Query = unknown> extends Common {
  method: 'get'
  /** Schema of the file in JSON lines, if it's available. */
  lines?: object
  download(deps: Deps, caller: Caller, input: OperationInput<Param, Query>): Promise<Download>
}

export interface WriteRoute<Param extends string = string, Query = unknown> extends Common {
  method: 'post' | 'put' | 'patch' | 'delete'
  /** Of a successful response, if it isn't 200. */
  status?: 201
  /** With `dryRun: true` in the body, nothing is created, and the response has status 200. */
  hasDryRun?: true
  /** The body is a CSV file, which `run` receives as a `FileBody`. */
  readsCsv?: true
  /**
   * Finds what an earlier request with the same key has done, in the document that it changed. Missing if the operation
   * stores its response in the transaction of its changes.
   */
  findEffect?(
    deps: Deps,
    caller: Caller,
    params: Record<Param, string>,
    request: WriteRequest,
  ): Promise<Result | null>
  /**
   * Whether `run` itself looks for what an earlier request has done (`request.earlier`), because it reads its document
   * at the same time, or must still complete something after an earlier request that died.
   */
  looksItself?: true
  /** The first response is computed from fields that never change, instead of being stored. */
  storesNoRow?: true
  run(deps: Deps, caller: Caller, input: OperationInput<Param, Query>, request: WriteRequest): Promise<Result>
}

export type Route = ReadRoute | DownloadRoute | WriteRoute

/** The parameters in a path such as `/dev/intents/:referenceNumber`. */
type ParamIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** Spares the compiler the union of all schemas, which is too large for it. */
type QueryOf<Schema> = Schema extends JSONSchema ? ValueOf<Schema> : never

type Declared<Each extends Route, Schema> = Omit<Each, 'tag' | 'method' | 'path' | 'query'> & {
  query?: Schema
}

type DeclareWrite = <Path extends string, Schema extends object = typeof emptyQuery>(
  path: Path,
  route: Declared<WriteRoute<ParamIn<Path>, QueryOf<Schema>>, Schema>,
) => WriteRoute

interface Section {
  get<Path extends string, Data, Schema extends object = typeof emptyQuery>(
    path: Path,
    route: Declared<ReadRoute<ParamIn<Path>, QueryOf<Schema>, Data>, Schema>,
  ): ReadRoute
  download<Path extends string, Schema extends object = typeof emptyQuery>(
    path: Path,
    route: Declared<DownloadRoute<ParamIn<Path>, QueryOf<Schema>>, Schema>,
  ): DownloadRoute
  post: DeclareWrite
  put: DeclareWrite
  patch: DeclareWrite
  remove: DeclareWrite
}

/** Functions that declare operations. The types of their input follow from the path and the query's schema. */
export function section(tag: keyof typeof tags): Section {
  const declare = (method: Route['method']) => (path: string, route: object) =>
    ({ tag, method, path, ...route }) as never
  return {
    get: declare('get'),
    download: declare('get'),
    post: declare('post'),
    put: declare('put'),
    patch: declare('patch'),
    remove: declare('delete'),
  }
}

/** Publishable keys are public, so scripts on any site may use them. */
export const isForBrowsers = (route: Route): boolean => 'key' in route && route.key === 'any'

/** A key needs any one of these. */
export const scopesOf = ({ scope }: Pick<Route, 'scope'>): readonly Scope[] =>
  typeof scope === 'string' ? [scope] : scope.anyOf
