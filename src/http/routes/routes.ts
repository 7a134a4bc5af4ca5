import type { Route } from '../operations/route.ts'
import { deliveryRoutes } from './deliveries.ts'
import { endpointRoutes } from './endpoints.ts'
import { intentRoutes } from './intents.ts'
import { orderRoutes } from './orders.ts'
import { productCsvRoutes } from './product-files.ts'
import { productRoutes } from './products.ts'

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
