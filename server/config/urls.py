"""All addresses of the site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from server.config.availability import health
from server.operations.views import healthz, readyz
from server.web.views import account, contributor

admin.site.site_header = "DiskAtlas administration"
admin.site.site_title = "DiskAtlas administration"
admin.site.index_title = "What the archive holds"

# One way in: the sign-in that counts attempts.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("health/", health),
    path("healthz", healthz),
    path("readyz", readyz),
    path("api/v1/", include("server.api.urls")),
    path("admin/", admin.site.urls),
    path("accounts/", contributor.run_list, name="account-runs"),
    path("accounts/runs/<uuid:submission_id>/appeal/", contributor.appeal, name="account-appeal"),
    path("accounts/profile/", contributor.profile, name="account-profile"),
    path("accounts/device/", account.device, name="account-device"),
    path("accounts/keys/", account.key_list, name="account-keys"),
    path("accounts/keys/<int:key_id>/", account.key_change, name="account-key"),
    path("accounts/tokens/", account.token_list, name="account-tokens"),
    path("accounts/tokens/<int:token_id>/", account.token_end, name="account-token"),
    path("accounts/sessions/<int:session_id>/", account.session_end, name="account-session"),
    path("accounts/data/", account.data, name="account-data"),
    path("accounts/data/account.json", account.data_download, name="account-data-download"),
    path("accounts/delete/", account.delete, name="account-delete"),
    path("accounts/", include("allauth.urls")),
    path("", include("server.web.urls")),
]

handler400 = "server.config.error_views.bad_request"
handler403 = "server.config.error_views.forbidden"
handler404 = "server.config.error_views.not_found"
handler500 = "server.config.error_views.server_error"
handler429 = "server.config.error_views.too_many_requests"
"""Asked for by the accounts' pages."""
