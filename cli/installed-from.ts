import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Lock {
  packages: Record<string, { resolved: string }>
}

/**
 * The origin of the service from which npx installed this package, or null if it came from elsewhere. npm records each
 * package's URL next to the packages.
 */
export function installedFrom(): string | null {
  try {
    const file = join(import.meta.dirname, '../../../.package-lock.json')
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as Lock
    const { protocol, origin } = new URL(packages['node_modules/@payment-intents-mru/cli']?.resolved ?? '')
    return protocol === 'file:' ? null : origin
  } catch {
    return null
  }
}
