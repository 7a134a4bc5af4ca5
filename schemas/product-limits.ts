/** Lengths are in Unicode code points. */
export const maxNameLength = 200
export const maxDescriptionLength = 5_000
export const maxLabelLength = 100
export const maxSkuLength = 64
export const maxHandleLength = 100
export const maxImages = 10
export const maxVariants = 100

/** Bytes of a stored product. A list of a hundred such products is still readable. */
export const maxProductBytes = 65_536

/** Units, far beyond the stock of any real shop. */
export const maxStock = 1_000_000_000
