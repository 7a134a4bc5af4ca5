<?php
// $headers: getallheaders(). $rawBody: file_get_contents('php://input'). $now: time()
// Returns the event's id, or null if the webhook is not genuine.
function verify(string $secret, array $headers, string $rawBody, int $now): ?string
{
    $headers = array_change_key_case($headers);
    $timestamp = $headers['x-service-timestamp'] ?? '';
    if ($secret === '' || !preg_match('/^[0-9]{1,12}\z/', $timestamp) || abs($now - (int) $timestamp) > 300) {
        return null;
    }
    $expected = 'sha256=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    $given = ($headers['x-service-signature'] ?? '') . ',' . ($headers['x-service-signature-previous'] ?? '');
    foreach (explode(',', $given) as $one) {
        if (hash_equals($expected, trim($one))) {
            return eventIdOf($rawBody);
        }
    }
    return null;
}

// A delivery's `id` is signed, and begins with the event's id in base64url. `listen` sends the event's id itself.
function eventIdOf(string $rawBody): ?string
{
    $id = json_decode($rawBody, true)['id'] ?? null;
    if (is_string($id) && preg_match('/^[A-Za-z0-9_-]{32}\z/', $id)) {
        return bin2hex(base64_decode(strtr(substr($id, 0, 16), '-_', '+/')));
    }
    return is_string($id) && preg_match('/^[0-9a-f]{24}\z/', $id) ? $id : null;
}
