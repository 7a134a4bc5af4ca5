// Downloads a file in a separate process and discards it. Prints its number of lines and bytes as one line of JSON.
import { request } from 'undici'

export interface Download {
  url: string
  apiKey: string
}

export interface Downloaded {
  lines: number
  bytes: number
}

const { url, apiKey } = JSON.parse(process.argv[2] ?? '') as Download
const { statusCode, body } = await request(url, {
  headers: { Authorization: `Bearer ${apiKey}` },
  bodyTimeout: 0,
})
if (statusCode !== 200) throw new Error(`${url} got ${statusCode}: ${await body.text()}`)
const downloaded: Downloaded = { lines: 0, bytes: 0 }
for await (const piece of body as AsyncIterable<Buffer>) {
  downloaded.bytes += piece.length
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) downloaded.lines += 1
}
console.log(JSON.stringify(downloaded))
