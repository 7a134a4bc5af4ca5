import type { FailureStage } from '../../../schemas/responses/webhooks.ts'

/** `error` is a fixed sentence for merchants, without IP addresses. */
export interface SendFault {
  stage: Exclude<FailureStage, 'status'>
  error: string
}

export interface Failure {
  fault: SendFault
}

export const sendFaults = {
  notPublic: { stage: 'address', error: 'The host name resolves to an address that is not public.' },
  noSuchName: { stage: 'dns', error: 'The host name does not exist.' },
  manyAddresses: { stage: 'dns', error: 'The host name has more than 100 addresses.' },
  unresolved: { stage: 'dns', error: 'The host name could not be resolved.' },
  lateName: { stage: 'timeout', error: 'The host name was not resolved in time.' },
  refused: { stage: 'refused', error: 'The connection was refused.' },
  unreachable: { stage: 'connect', error: 'The host could not be reached.' },
  lateConnection: { stage: 'timeout', error: 'The connection was not established in time.' },
  handshake: { stage: 'tls', error: 'The TLS handshake failed.' },
  untrusted: {
    stage: 'tls',
    error: 'The certificate is not from a trusted authority, or its chain is incomplete.',
  },
  largeHandshake: { stage: 'tls', error: 'The TLS handshake, including its certificates, is too large.' },
  selfSigned: { stage: 'tls', error: 'The certificate is self-signed.' },
  expired: { stage: 'tls', error: 'The certificate has expired.' },
  notYetValid: { stage: 'tls', error: 'The certificate is not valid yet.' },
  wrongName: { stage: 'tls', error: 'The certificate is for a different host name.' },
  lateResponse: { stage: 'timeout', error: 'The response did not complete in time.' },
  tooLarge: { stage: 'too_large', error: 'The response headers are too large.' },
  closed: { stage: 'closed', error: 'The connection was closed before the response was complete.' },
  noProxy: { stage: 'proxy', error: 'The webhook proxy could not be reached.' },
  proxyLogin: { stage: 'proxy', error: 'The webhook proxy rejected the credentials of this service.' },
  proxyRefused: { stage: 'proxy', error: 'The webhook proxy refused to connect to the host.' },
  brokenProxy: { stage: 'proxy', error: 'The webhook proxy did not return a valid response.' },
  unreachableByProxy: { stage: 'connect', error: 'The webhook proxy could not reach the host.' },
  lateProxy: { stage: 'timeout', error: 'The webhook proxy did not connect to the host in time.' },
  notHttp: { stage: 'protocol', error: 'The response is not valid HTTP.' },
} as const satisfies Record<string, SendFault>

const byCode: Record<string, SendFault> = {
  ENOTFOUND: sendFaults.noSuchName,
  ENODATA: sendFaults.noSuchName,
  CERT_HAS_EXPIRED: sendFaults.expired,
  CERT_NOT_YET_VALID: sendFaults.notYetValid,
  DEPTH_ZERO_SELF_SIGNED_CERT: sendFaults.selfSigned,
  ERR_TLS_CERT_ALTNAME_INVALID: sendFaults.wrongName,
  SELF_SIGNED_CERT_IN_CHAIN: sendFaults.untrusted,
  UNABLE_TO_GET_ISSUER_CERT: sendFaults.untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: sendFaults.untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: sendFaults.untrusted,
  HANDSHAKE_TOO_LARGE: sendFaults.largeHandshake,
  HPE_HEADER_OVERFLOW: sendFaults.tooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: sendFaults.tooLarge,
  RESPONSE_TOO_LARGE: sendFaults.tooLarge,
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

export const toResolveFault = (error: unknown): SendFault => byCode[codeOf(error)] ?? sendFaults.unresolved

export function toConnectFault(error: unknown): SendFault {
  const code = codeOf(error)
  if (code === 'ECONNRESET') return sendFaults.closed
  return code === 'ECONNREFUSED' ? sendFaults.refused : sendFaults.unreachable
}

export const toTlsFault = (error: unknown): SendFault => byCode[codeOf(error)] ?? sendFaults.handshake

/** Proxies return 5xx for unreachable hosts. Null means success. */
export function toProxyFault(status: number): SendFault | null {
  if (status >= 200 && status < 300) return null
  if (status >= 500) return sendFaults.unreachableByProxy
  return status === 407 ? sendFaults.proxyLogin : sendFaults.proxyRefused
}

/** TLS can fail after the handshake. `HPE_` codes come from the HTTP parser. */
export function toExchangeFault(error: unknown): SendFault {
  const code = codeOf(error)
  if (code.startsWith('ERR_SSL_')) return sendFaults.handshake
  return byCode[code] ?? (code.startsWith('HPE_') ? sendFaults.notHttp : sendFaults.closed)
}
