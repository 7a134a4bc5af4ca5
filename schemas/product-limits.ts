/** The limits of a product, wherever it comes from: a body or a cell of a CSV file. Lengths are Unicode code points. */
export const longestName = 200
export const longestDescription = 5_000
export const longestLabel = 100
export const longestSku = 64
export const longestHandle = 100
export const mostImages = 10
export const mostVariants = 100

/** The most units of a variant: beyond what anybody counts, and far from where numbers lose their last digit. */
export const highestStock = 1_000_000_000
