'use strict';

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as HTML. */
function escapeHTML(text) {
    return String(text).replace(/[&<>"']/g, (one) => entities[one]);
}

/** Percent-encodes what a URL may not have; what is encoded already stays. */
function encodeURL(url) {
    return encodeURI(url.toWellFormed?.() ?? url).replace(/%25([0-9A-Fa-f]{2})/g, '%$1').replace(/%5B/g, '[').replace(/%5D/g, ']');
}

/** Answers with a small page, as Express does without a route. */
function sendPage(request, response, status, title, html) {
    ['Content-Encoding', 'Content-Language'].forEach((name) => response.removeHeader(name));
    response.statusCode = status;
    response.setHeader('Content-Security-Policy', "default-src 'none'");
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const body = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${title}</title>\n</head>\n<body>\n<pre>${html}</pre>\n</body>\n</html>\n`;
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(request.method === 'HEAD' ? undefined : body);
}

module.exports = { encodeURL, escapeHTML, sendPage };
