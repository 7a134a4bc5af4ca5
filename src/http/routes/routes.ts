import type { Route } from '../operations/route.ts'
import { deliveryRoutes } from './deliveries.ts'
import { endpointRoutes } from './endpoints.ts'
import { intentRoutes } from './intents.ts'
import { orderRoutes } from './orders.ts'
import { productCsvRoutes } from './product-files.ts'
import { productRoutes } from './products.ts'

/**
 * Every operation of the API: its path, the rights that a key needs, and parse → operate → present. The first matching
 * route serves a request, so a fixed path must come before a path with a parameter.
 */
export const routes: readonly Route[] = [
  ...intentRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...productCsvRoutes,
  ...productRoutes,
  ...orderRoutes,
]
