import type { Route } from './route.ts'

/** Products as CSV files: import and export (SPEC 4.9). */
export const productCsvRoutes: readonly Route[] = []
