import type { ApiScope } from '../../../schemas/scopes.ts'
import { isBrowserRoute, type Route, scopesOfRoute } from '../operations/route.ts'
import { balanceRoutes } from './balance.ts'
import { deliveryRoutes } from './deliveries.ts'
import { endpointRoutes } from './endpoints.ts'
import { eventRoutes } from './events.ts'
import { intentRoutes } from './intents.ts'
import { ledgerExportRoutes } from './ledger-exports.ts'
import { orderRoutes } from './orders.ts'
import { productRoutes } from './products.ts'
import { replayRoutes } from './replays.ts'

/** The first match serves the request, so paths with parameters come last. */
const routes = [
  ...intentRoutes,
  ...balanceRoutes,
  ...ledgerExportRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...eventRoutes,
  ...productRoutes,
  ...orderRoutes,
]
export const apiRoutes: readonly Route[] = routes

type Known = (typeof routes)[number]
export type WriteId = Exclude<Known, { method: 'get' }>['operationId']
export type DownloadId = Extract<Known, { download: unknown }>['operationId']
export type ReadId = Exclude<Known['operationId'], WriteId | DownloadId>

/** JSON, in which times are text. */
type Plain<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: Plain<Value[Name]> }
      : Value

/** What clients of the API get. */
export type Shown<Id extends ReadId> = Plain<
  NonNullable<Extract<Known, { operationId: Id; data?: unknown }>['data']>
>

export const publishableScopes: readonly ApiScope[] = [
  ...new Set(apiRoutes.filter(isBrowserRoute).flatMap(scopesOfRoute)),
]
