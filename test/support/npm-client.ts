import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { buildNpmClient } from '../../clients/release/npm.ts'

export const npmClientFolder = 'node_modules/@payment-intents-mru/client'

let built: Promise<Record<string, string>> | undefined

/** The texts of the package built from the sources, as npm would install them. */
export const npmClientFiles = (): Promise<Record<string, string>> => (built ??= build())

async function build(): Promise<Record<string, string>> {
  const entries = await unpackTar(gunzipSync(await buildNpmClient()))
  return Object.fromEntries(
    entries.map(({ header, data }) => [
      header.name.replace('package', npmClientFolder),
      Buffer.from(data ?? []).toString(),
    ]),
  )
}
