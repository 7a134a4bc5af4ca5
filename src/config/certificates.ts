import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

const blocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Reads certificates from the value of an environment variable, which many platforms limit to one line. The value is
 * the certificates in PEM form with line breaks or with `\n`, the same in base64, or the path of a file. Returns null
 * if there is no valid certificate.
 */
export function readCertificates(text: string): string | null {
  const found = pemOf(text)?.match(blocks) ?? []
  return found.length > 0 && found.every(isCertificate) ? found.join('\n') : null
}

function pemOf(text: string): string | null {
  for (const pem of [text.replaceAll('\\n', '\n'), Buffer.from(text, 'base64').toString('latin1')])
    if (pem.includes('-----BEGIN')) return pem
  try {
    return readFileSync(text, 'latin1')
  } catch {
    return null
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== ''
  } catch {
    return false
  }
}
