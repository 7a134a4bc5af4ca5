/** The limits of a product, in a request body and in a CSV file. Lengths are in Unicode code points. */
export const longestName = 200
export const longestDescription = 5_000
export const longestLabel = 100
export const longestSku = 64
export const longestHandle = 100
export const mostImages = 10
export const mostVariants = 100

/** The most units of a variant: more than any shop has in stock. */
export const highestStock = 1_000_000_000
