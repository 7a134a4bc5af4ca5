<?php
class ApiError extends Exception
{
    public function __construct(public array $error, public int $retryAfter)
    {
        parent::__construct("$error[code]: $error[message] (request $error[requestId])");
    }
}

// Calls the API with the key in KEY, at the address in BASE. After a lost connection, 429 or a failure of the service,
// repeats the request with the same idempotency key.
function call(string $method, string $path, ?array $body = null, ?string $idempotencyKey = null): array
{
    $idempotencyKey ??= bin2hex(random_bytes(16));
    $json = $body === null ? '' : json_encode(plain($body), JSON_THROW_ON_ERROR); // throws unless all text is UTF-8
    for ($attempt = 1; ; $attempt++) {
        try {
            return send($method, $path, $json, $idempotencyKey);
        } catch (ApiError | JsonException $error) { // JsonException: no response
            $status = $error->error['statusCode'] ?? 503;
            $isRunning = ($error->error['code'] ?? '') === 'IDEMPOTENCY_REQUEST_IN_PROGRESS';
            $isTemporary = $status === 429 || $status >= 500 || $isRunning;
            $retryAfter = $error->retryAfter ?? 0;
            if ($attempt === 5 || !$isTemporary || $retryAfter > 60) {
                throw $error;
            }
            sleep($retryAfter ?: $attempt);
        }
    }
}

// json_encode omits what is not public. A refund without its amount would be a full refund, so this throws.
function plain(mixed $value, int $depth = 0): mixed
{
    if ($value instanceof JsonSerializable && $depth < 512) {
        return plain($value->jsonSerialize(), $depth + 1);
    }
    if ($value === null || is_scalar($value)) {
        return $value;
    }
    $type = get_debug_type($value);
    // After a cast, the name of a private field starts with NUL.
    if ($depth >= 512 || !in_array($type, ['array', 'stdClass']) || preg_grep('/^\0/', array_keys((array) $value))) {
        throw new JsonException("The body has a value of the type $type, which cannot be sent as JSON.");
    }
    $fields = array_map(fn ($each) => plain($each, $depth + 1), (array) $value);
    return is_array($value) ? $fields : (object) $fields;
}

function send(string $method, string $path, string $json, string $idempotencyKey): array
{
    $headers = ['Authorization: Bearer ' . getenv('KEY'), 'Content-Type: application/json'];
    if ($method !== 'GET') {
        $headers[] = "X-Idempotency-Key: $idempotencyKey";
    }
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => $json,
        'ignore_errors' => true, // so that the body of an error can be read
        'timeout' => 40,
    ]]);
    $text = file_get_contents(getenv('BASE') . $path, false, $context);
    $response = json_decode($text, true, 16, JSON_THROW_ON_ERROR);
    if ($response['success']) {
        return $response['data'];
    }
    $retryAfter = preg_grep('/^Retry-After:/i', $http_response_header);
    throw new ApiError($response['error'], (int) filter_var(implode($retryAfter), FILTER_SANITIZE_NUMBER_INT));
}
