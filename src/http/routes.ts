import { deliveryRoutes } from './delivery-routes.ts'
import { endpointRoutes } from './endpoint-routes.ts'
import { intentRoutes } from './intent-routes.ts'
import type { Route } from './route.ts'

/** Every operation of the API: its address, what a key needs, and parse → operate → present. */
export const routes: readonly Route[] = [...intentRoutes, ...endpointRoutes, ...deliveryRoutes]
