import type { Route } from './route.ts'

/** Webhook deliveries (SPEC 4.8). */
export const deliveryRoutes: readonly Route[] = []
