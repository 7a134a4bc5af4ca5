/**
 * Parses a Content-Type: its media type in lower case, and whether the text is UTF-8, the default without a charset.
 */
export function mediaTypeOf(header: string | undefined): { type: string; isUtf8: boolean } {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, isUtf8: charset === undefined || /^charset="?utf-?8"?$/.test(charset) }
}
