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

export const publishableScopes: readonly ApiScope[] = [
  ...new Set(apiRoutes.filter(isBrowserRoute).flatMap(scopesOfRoute)),
]
