import type { Route } from './route.ts'

/** Orders (SPEC 4.7). */
export const orderRoutes: readonly Route[] = []
