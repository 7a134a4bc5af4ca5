import { buildPhp, phpName } from '../generate/php.ts'
import numbered from '../version.json' with { type: 'json' }
import { buildCli, buildNpmClient } from './npm.ts'
import { buildWheel, wheelName } from './wheel.ts'

export interface Package {
  file: string
  /** Returns the same bytes on every machine. */
  build(): Promise<Uint8Array>
}

const { version } = numbered

/** Everything that a release contains. The file names contain the version from clients/version.json. */
export const packages: readonly Package[] = [
  { file: `payment-intents-mru-client-${version}.tgz`, build: buildNpmClient },
  { file: `payment-intents-mru-cli-${version}.tgz`, build: buildCli },
  { file: wheelName, build: async () => buildWheel() },
  { file: phpName, build: async () => buildPhp() },
]
