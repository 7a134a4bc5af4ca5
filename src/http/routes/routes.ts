import type { Scope } from '../../../schemas/scopes.ts'
import { isForBrowsers, type Route, scopesOf } from '../operations/route.ts'
import { balanceRoutes } from './balance.ts'
import { deliveryRoutes } from './deliveries.ts'
import { endpointRoutes } from './endpoints.ts'
import { eventRoutes } from './events.ts'
import { intentRoutes } from './intents.ts'
import { ledgerExportRoutes } from './ledger-exports.ts'
import { orderRoutes } from './orders.ts'
import { productRoutes } from './products.ts'
import { replayRoutes } from './replays.ts'

/**
 * All API operations. A route specifies the path, the rights that the key needs, and how to parse, execute and present
 * the operation. Requests are served by the first matching route, so fixed paths must come before paths with
 * parameters.
 */
export const routes: readonly Route[] = [
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

/** The scopes of the operations that accept publishable keys. */
export const publishableScopes: readonly Scope[] = [...new Set(routes.filter(isForBrowsers).flatMap(scopesOf))]
