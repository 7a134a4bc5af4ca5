import { encode as encodePng } from 'fast-png'
import { encode, renderSVG } from 'uqr'

/** Level M survives 15 % damage. QR codes need a border of 4 modules. */
const encoding = { ecc: 'M', border: 4 } as const

/** A module is one square of the code: 1.7 mm at 300 dpi. */
const pixelsPerModule = 20

export const drawQrSvg = (text: string): string =>
  // Without crisp edges, browsers draw light lines between modules.
  renderSVG(text, { ...encoding, pixelSize: 1 }).replace('<svg ', '<svg shape-rendering="crispEdges" ')

export function drawQrPng(text: string): Buffer {
  const { data: modules } = encode(text, encoding)
  const width = modules.length * pixelsPerModule
  const data = Buffer.concat(modules.flatMap((row) => Array<Buffer>(pixelsPerModule).fill(pixelRow(row))))
  return Buffer.from(encodePng({ width, height: width, channels: 1, depth: 1, data }))
}

/** Each byte holds 8 pixels, and a 1 is white. */
function pixelRow(modules: boolean[]) {
  const row = Buffer.alloc(Math.ceil((modules.length * pixelsPerModule) / 8))
  modules.forEach((isBlack, index) => {
    if (isBlack) return
    for (let x = index * pixelsPerModule; x < (index + 1) * pixelsPerModule; x += 1)
      row[x >> 3] = (row[x >> 3] ?? 0) | (128 >> (x & 7))
  })
  return row
}
