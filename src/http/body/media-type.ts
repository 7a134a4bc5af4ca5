/** The media type of a Content-Type, in lower case, and whether its text is UTF-8, as it is where no charset is named. */
export function mediaTypeOf(header: string | undefined): { type: string; isUtf8: boolean } {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, isUtf8: charset === undefined || /^charset="?utf-?8"?$/.test(charset) }
}
