const easternDigits = '٠١٢٣٤٥٦٧٨٩'
const persianDigits = '۰۱۲۳۴۵۶۷۸۹'
/** Invisible characters that keyboards, PDF files and changes of writing direction put between digits. */
const invisible = /\p{Cf}/gu

/** Converts Arabic and Persian digits to 0 to 9, and removes invisible characters. Keeps everything else. */
export const plainDigits = (typed: string): string =>
  typed
    .replaceAll(invisible, '')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) =>
      String(Math.max(easternDigits.indexOf(digit), persianDigits.indexOf(digit))),
    )
