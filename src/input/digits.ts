const easternDigits = '٠١٢٣٤٥٦٧٨٩'
const persianDigits = '۰۱۲۳۴۵۶۷۸۹'
/** Some keyboards and PDF files put these between digits. */
const invisible = /\p{Cf}/gu

export const normaliseDigits = (typed: string): string =>
  typed
    .replaceAll(invisible, '')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) =>
      String(Math.max(easternDigits.indexOf(digit), persianDigits.indexOf(digit))),
    )
