/**
 * Parses a Content-Type header. Returns the media type in lower case, and whether the charset is UTF-8, which is the
 * default.
 */
export function mediaTypeOf(header: string | undefined): { type: string; isUtf8: boolean } {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, isUtf8: charset === undefined || /^charset="?utf-?8"?$/.test(charset) }
}
