import { deliveryRoutes } from './delivery-routes.ts'
import { endpointRoutes } from './endpoint-routes.ts'
import { intentRoutes } from './intent-routes.ts'
import { orderRoutes } from './order-routes.ts'
import { productCsvRoutes } from './product-csv-routes.ts'
import { productRoutes } from './product-routes.ts'
import type { Route } from './route.ts'

/**
 * Every operation of the API: its address, what a key needs, and parse → operate → present. The first that matches serves: a fixed path
 * stands before one with a parameter in its place.
 */
export const routes: readonly Route[] = [
  ...intentRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...productCsvRoutes,
  ...productRoutes,
  ...orderRoutes,
]
