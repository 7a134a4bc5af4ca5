const easternDigits = '٠١٢٣٤٥٦٧٨٩'
const persianDigits = '۰۱۲۳۴۵۶۷۸۹'
/** Keyboards and PDF files put such characters between digits. */
const invisible = /\p{Cf}/gu

export const normaliseDigits = (typed: string): string =>
  typed
    .replaceAll(invisible, '')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) =>
      String(Math.max(easternDigits.indexOf(digit), persianDigits.indexOf(digit))),
    )
