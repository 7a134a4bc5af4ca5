import type { JSONSchema } from 'json-schema-to-ts'
import type { emptyQuery, SchemaValue } from '../../../schemas/requests.ts'
import type { ApiScope } from '../../../schemas/scopes.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { FeedWaitLimits } from '../../events/feed/read.ts'
import type { OperationResult, WriteRequest } from '../../idempotency/request.ts'
import type { AnnotatedSchema } from '../../input/field-faults.ts'
import type { Deps } from '../../platform/deps.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { CsvFile, FileDownload } from '../responses/download.ts'
import type { ShownItemKind } from '../responses/largest.ts'

/** The query has been validated, but the body hasn't. */
export interface OperationInput<Param extends string = string, Query = unknown> {
  params: Record<Param, string>
  query: Query
  body: unknown
}

export const apiSections = {
  'Payment intents': 'An intent represents one payment. You can create, retrieve, cancel and refund it.',
  Balance: 'What the service owes you: payments minus refunds, fees and payouts, with daily statements.',
  Exports: 'Files with the payments, refunds or ledger entries of a period.',
  Events:
    'Everything that happened to your payments and orders. Read events here if you have no webhook endpoint or missed webhooks.',
  'Webhook endpoints': 'The URLs of your servers that receive events.',
  'Webhook deliveries': 'A delivery is one event for one endpoint, including all attempts to send it.',
  Products: 'The products that your shop sells, with their variants and stock.',
  Orders: 'The orders of your shop.',
}

/** Without a `body` schema, the request's body is ignored. */
interface Common {
  tag: keyof typeof apiSections
  path: string
  operationId: string
  summary: string
  description: string
  params: Record<string, object>
  query?: AnnotatedSchema
  body?: object
  response: object
  /** Error codes that the body's schema doesn't list. */
  errors?: readonly ErrorCode[]
  scope: ApiScope | { anyOf: readonly ApiScope[] }
  sandboxOnly?: true
  deprecated?: Deprecation
}

/** Days, such as `2027-01-31`. `instead` says what to use. */
export interface Deprecation {
  since: string
  sunset: string
  instead: string
}

export interface ReadRoute<Param extends string = string, Query = unknown, Data = unknown> extends Common {
  method: 'get'
  /** Accepts publishable keys too. */
  key?: 'any'
  shows: ShownItemKind
  /** Uses the limits and connections for lists (src/lists). */
  isPage?: true
  /** Uses the limits for lists, because the read costs as much as a list. */
  needsQuery?: true
  /**
   * Holds no memory while it waits. Returns the query to run, the data
   * if nothing arrived in time, or null if the request doesn't wait.
   */
  longPoll?(
    deps: Deps,
    caller: Caller,
    input: OperationInput<Param, Query>,
    limits: FeedWaitLimits,
  ): Promise<{ query: Query } | { data: unknown } | null>
  run(deps: Deps, caller: Caller, input: OperationInput<Param, Query>, deadlineAt: number): Promise<Data>
  toCsv?(data: Data, input: OperationInput<Param, Query>): CsvFile
}

export interface DownloadRoute<Param extends string = string, Query = unknown> extends Common {
  method: 'get'
  lines?: object
  download(deps: Deps, caller: Caller, input: OperationInput<Param, Query>): Promise<FileDownload>
}

export interface WriteRoute<Param extends string = string, Query = unknown> extends Common {
  method: 'post' | 'put' | 'patch' | 'delete'
  status?: 201
  /** With `dryRun: true`, the response has status 200. */
  hasDryRun?: true
  readsCsv?: true
  /** Finds the change that an earlier request with the same key made. */
  findEffect?(
    deps: Deps,
    caller: Caller,
    params: Record<Param, string>,
    request: WriteRequest,
  ): Promise<OperationResult | null>
  /** `run` itself calls `request.earlier`, after finishing a crashed request. */
  looksItself?: true
  /** The response can be recomputed from fields that never change. */
  storesNoRow?: true
  run(
    deps: Deps,
    caller: Caller,
    input: OperationInput<Param, Query>,
    request: WriteRequest,
  ): Promise<OperationResult>
}

export type Route = ReadRoute | DownloadRoute | WriteRoute

type ParamIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** A union of all schemas would be too large for the compiler. */
type QueryOf<Schema> = Schema extends JSONSchema ? SchemaValue<Schema> : never

/** `scope` is needed only if it differs from the section's. */
type Declared<Each extends Route, Schema> = Omit<
  Each,
  'tag' | 'method' | 'path' | 'params' | 'query' | 'isPage' | 'scope'
> & { query?: Schema; scope?: Route['scope'] }

/** The ids become types, so that a page can't name an unknown operation. */
interface Named<Id extends string> {
  operationId: Id
}

/** Only for the compiler: what `run` returns. */
interface Shows<Data> {
  data?: Data
}

type DeclareRead = <Path extends string, Data, Id extends string, Schema extends object = typeof emptyQuery>(
  path: Path,
  route: Declared<ReadRoute<ParamIn<Path>, QueryOf<Schema>, Data>, Schema> & Named<Id>,
) => ReadRoute & Named<Id> & Shows<Data>

type DeclareWrite = <Path extends string, Id extends string, Schema extends object = typeof emptyQuery>(
  path: Path,
  route: Declared<WriteRoute<ParamIn<Path>, QueryOf<Schema>>, Schema> & Named<Id>,
) => WriteRoute & Named<Id>

interface Section {
  get: DeclareRead
  list: DeclareRead
  download<Path extends string, Id extends string, Schema extends object = typeof emptyQuery>(
    path: Path,
    route: Declared<DownloadRoute<ParamIn<Path>, QueryOf<Schema>>, Schema> & Named<Id>,
  ): DownloadRoute & Named<Id>
  post: DeclareWrite
  put: DeclareWrite
  patch: DeclareWrite
  remove: DeclareWrite
}

/** The compiler infers the types of `params` and `query`. */
export function declareOperations(
  tag: keyof typeof apiSections,
  section: { read: Route['scope']; write?: ApiScope; params?: Record<string, object> },
): Section {
  const declare =
    (method: Route['method'], more: object = {}) =>
    (path: string, route: object) => {
      const scope = method === 'get' ? section.read : section.write
      const params = Object.fromEntries(
        [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, section.params?.[name]]),
      )
      return { tag, method, path, params, scope, ...more, ...route } as never
    }
  return {
    get: declare('get'),
    list: declare('get', { isPage: true }),
    download: declare('get'),
    post: declare('post'),
    put: declare('put'),
    patch: declare('patch'),
    remove: declare('delete'),
  }
}

export const isBrowserRoute = (route: object): boolean => 'key' in route && route.key === 'any'

export const scopesOfRoute = ({ scope }: Pick<Route, 'scope'>): readonly ApiScope[] =>
  typeof scope === 'string' ? [scope] : scope.anyOf

/** RFC 9745 and RFC 8594. */
export const deprecationHeaders = (
  { since, sunset }: Deprecation,
  publicUrl: string,
): Record<string, string> => ({
  Deprecation: `@${Date.parse(since) / 1000}`,
  Sunset: new Date(sunset).toUTCString(),
  Link: `<${publicUrl}/docs/life-cycle>; rel="deprecation"; type="text/html"`,
})
