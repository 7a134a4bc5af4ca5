const easternDigits = '٠١٢٣٤٥٦٧٨٩'
const persianDigits = '۰۱۲۳۴۵۶۷۸۹'
/** What a keyboard, a PDF or a change of direction puts between digits unseen. */
const unseen = /\p{Cf}/gu

/** What somebody typed where digits belong: those of any script used here as 0 to 9, nothing unseen; everything else stays. */
export const plainDigits = (typed: string): string =>
  typed
    .replaceAll(unseen, '')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) =>
      String(Math.max(easternDigits.indexOf(digit), persianDigits.indexOf(digit))),
    )
