/** The limits for a product in a request body or CSV file. Lengths are in Unicode code points. */
export const maxNameLength = 200
export const maxDescriptionLength = 5_000
export const maxLabelLength = 100
export const maxSkuLength = 64
export const maxHandleLength = 100
export const maxImages = 10
export const maxVariants = 100

/** The most units of a variant, which is more than any shop has in stock. */
export const maxStock = 1_000_000_000
