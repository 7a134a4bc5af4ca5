import type { Route } from './route.ts'

/** Products and their stock (SPEC 4.9). */
export const productRoutes: readonly Route[] = []
