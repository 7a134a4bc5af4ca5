import { encode as encodePng } from 'fast-png'
import { encode, renderSVG } from 'uqr'

/**
 * How a payment link is encoded. Level M still reads correctly if 15 % of the code is hidden by a scratch or a
 * reflection. The border of 4 modules is the quiet zone that the QR standard requires.
 */
const encoding = { ecc: 'M', border: 4 } as const

/** The width of one module (one square of the code) in the PNG image. Printed at 300 dpi, a module is 1.7 mm wide. */
const pixelsPerModule = 20

/** Returns a QR code as an SVG image. */
export const qrSvg = (text: string): string =>
  // Without crisp edges, browsers draw light lines between neighbouring modules.
  renderSVG(text, { ...encoding, pixelSize: 1 }).replace('<svg ', '<svg shape-rendering="crispEdges" ')

/** Returns a QR code as a PNG image with one bit for each pixel. */
export function qrPng(text: string): Buffer {
  const { data: modules } = encode(text, encoding)
  const width = modules.length * pixelsPerModule
  const data = Buffer.concat(modules.flatMap((row) => Array<Buffer>(pixelsPerModule).fill(pixelRow(row))))
  return Buffer.from(encodePng({ width, height: width, channels: 1, depth: 1, data }))
}

/** Returns one row of pixels, 8 in each byte. A 1 is a white pixel. */
function pixelRow(modules: boolean[]): Buffer {
  const row = Buffer.alloc(Math.ceil((modules.length * pixelsPerModule) / 8))
  modules.forEach((isBlack, index) => {
    if (isBlack) return
    for (let x = index * pixelsPerModule; x < (index + 1) * pixelsPerModule; x += 1)
      row[x >> 3] = (row[x >> 3] ?? 0) | (128 >> (x & 7))
  })
  return row
}
